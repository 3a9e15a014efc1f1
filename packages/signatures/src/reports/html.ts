import type { VerifyReply } from '../verify-report.ts';
import { HTML_POLICY, STYLE } from './html-style.ts';
import type { AuditSection, Fact, ReportModel, SignatureSection } from './model.ts';
import { pictureText, type QuestionAnswer } from './sentences.ts';

const ESCAPES: Record<string, string> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

const escaped = (text: string): string => text.replace(/[&<>"']/g, (character) => ESCAPES[character] ?? '');

/** Text of the document, whose direction must not change that of the page. */
const foreign = (text: string): string => `<bdi>${escaped(text)}</bdi>`;

const CLAIMED = ' <span class="claim">claimed</span>';

/** Returns one page without scripts and without references, which can be kept as a file. */
export function htmlReport(model: ReportModel, pictures: NonNullable<VerifyReply['pictures']> = []): string {
  const { title, verdict } = model;
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${escaped(HTML_POLICY)}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex">
<title>${escaped(`${verdict.headline} – ${title}`)}</title>
<style>${STYLE}</style>
</head>
<body>
<main>
<h1>${escaped(title)}</h1>
<div class="verdict ${verdict.tone}">
<p class="headline">${escaped(verdict.headline)}</p>
${verdict.text === '' ? '' : `<p>${foreign(verdict.text)}</p>`}
</div>
${answers(model.answers)}
<h2>Document</h2>
<section class="card">${facts(model.document)}</section>
${model.signatures.length === 0 ? '' : `<h2>Signatures</h2>${model.signatures.map(signature).join('')}`}
${model.signaturesLeftOut === undefined ? '' : `<p>${escaped(model.signaturesLeftOut)}</p>`}
${model.audit === undefined ? '' : audit(model.audit)}
${changedPages(pictures)}
<h2>What this report does not say</h2>
<section class="card">${list(model.limits)}</section>
</main>
</body>
</html>
`;
}

function answers(list: readonly QuestionAnswer[]): string {
  if (list.length === 0) return '';
  const cards = list.map(
    ({ question, answer, tone, text }) =>
      `<section class="answer ${tone}"><p class="question">${escaped(question)}</p><strong>${escaped(answer)}</strong><p>${escaped(text)}</p></section>`,
  );
  return `<div class="answers">${cards.join('\n')}</div>`;
}

function facts(rows: readonly Fact[]): string {
  const items = rows.map(({ label, value, isClaimed, isCode }) => {
    const shown = isCode ? `<code>${escaped(value)}</code>` : foreign(value);
    return `<dt>${escaped(label)}</dt><dd>${shown}${isClaimed ? CLAIMED : ''}</dd>`;
  });
  return `<dl>${items.join('\n')}</dl>`;
}

const list = (texts: readonly string[]): string =>
  `<ul>${texts.map((text) => `<li>${foreign(text)}</li>`).join('\n')}</ul>`;

function signature(section: SignatureSection): string {
  const { title, name, isNameClaimed, tone, result, findings, changes } = section;
  const brief = section.answers.map(
    (each) =>
      `<li class="${each.tone}">${escaped(each.label)}: <strong>${escaped(each.answer)}</strong></li>`,
  );
  const found = findings.map((each) => `<li class="${each.tone}">${foreign(each.text)}</li>`);
  return `<article class="card">
<header><div><span class="kind">${escaped(title)}</span><h3>${foreign(name)}${isNameClaimed ? CLAIMED : ''}</h3></div><span class="badge ${tone}">${escaped(result)}</span></header>
<ul class="brief">${brief.join('')}</ul>
${facts(section.facts)}
${found.length === 0 ? '' : `<h4>Findings</h4><ul class="findings">${found.join('\n')}</ul>`}
${changes.length === 0 ? '' : `<h4>Changes after signing</h4>${list(changes)}`}
</article>
`;
}

function audit({ facts: rows, events, more }: AuditSection): string {
  const lines = events.map(
    ({ number, event, time, data, hash }) =>
      `<tr><td>${number}</td><td>${escaped(event)}</td><td class="time">${foreign(time)}</td><td>${foreign(data)}</td><td><code>${escaped(hash.slice(0, HASH_CHARS))}…</code></td></tr>`,
  );
  const table =
    lines.length === 0
      ? ''
      : `<h4>Events${CLAIMED}</h4><div class="scroll"><table><thead><tr><th>#</th><th>Event</th><th>Time</th><th>Data</th><th>Hash</th></tr></thead><tbody>${lines.join('\n')}</tbody></table></div>`;
  return `<h2>Audit trail</h2><section class="card">${facts(rows)}${table}${more === undefined ? '' : `<p class="small">${escaped(more)}</p>`}</section>`;
}

/** The pages that were changed after the first signature, as they were and as they became. */
function changedPages(pictures: NonNullable<VerifyReply['pictures']>): string {
  if (pictures.length === 0) return '';
  const figures = pictures.map((picture) => {
    const { base64, width, height } = picture;
    const text = pictureText(picture);
    return `<figure class="card"><img src="${escaped(base64)}" width="${width}" height="${height}" alt="${escaped(text)}"><figcaption>${escaped(text)}</figcaption></figure>`;
  });
  return `<h2>Changed pages</h2><div class="pages">${figures.join('\n')}</div>`;
}

/** Enough to compare; the final hash is shown in full. */
const HASH_CHARS = 16;
