import { setTimeout as sleep } from 'node:timers/promises';
import { documentXml, packageEntries } from '@scriptorium/testing/fixtures/docx';
import { zip } from '@scriptorium/testing/fixtures/zip';
import { type Answer, answerTo, newMarker, startAsking, tally } from '../callers.ts';
import { type Deployment, postDocument } from '../service.ts';
import { askCalmly, compareTimes } from './fairness.ts';

/** As many requests as one key may have in flight. */
const CALLERS = 10;
/** Until the slow documents hold whatever they can get. */
const LEAD_MS = 15_000;
/** Of each kind, so that most documents are new to the service. */
const VARIANTS = 4;

const text = (value: string) => `<w:r><w:t xml:space="preserve">${value}</w:t></w:r>`;
const paragraph = (content: string) => `<w:p>${content}</w:p>`;
const row = (cells: number) => `<w:tr>${`<w:tc>${paragraph(text('cell'))}</w:tc>`.repeat(cells)}</w:tr>`;
const bold = `<w:r><w:rPr><w:b/></w:rPr><w:t>a</w:t></w:r>${text(' b')}`;
const section =
  '<w:p><w:pPr><w:sectPr><w:type w:val="continuous"/><w:cols w:num="3"/></w:sectPr></w:pPr></w:p>';

const docx = (body: string) =>
  zip(packageEntries({ mainXml: documentXml([]).replace('<w:body>', `<w:body>${body}`) }));
const html = (body: string) => Buffer.from(`<!DOCTYPE html><html><body>${body}</body></html>`);

/** Documents within the bounds that take an engine seconds to a minute. The marker makes each a new one. */
const KINDS: Record<string, { from: string; make(marker: string): Buffer }> = {
  'many paragraphs': {
    from: 'docx',
    make: (marker) => docx(paragraph(text(marker)) + paragraph(text('w')).repeat(190_000)),
  },
  'a long table': {
    from: 'docx',
    make: (marker) => docx(`${paragraph(text(marker))}<w:tbl>${row(10).repeat(5_000)}</w:tbl><w:p/>`),
  },
  'a wide table': {
    from: 'docx',
    make: (marker) => docx(`${paragraph(text(marker))}<w:tbl>${row(63).repeat(1_000)}</w:tbl><w:p/>`),
  },
  'a paragraph of many pieces': {
    from: 'docx',
    make: (marker) => docx(paragraph(text(marker)) + paragraph(bold.repeat(9_900)).repeat(4)),
  },
  'long paragraphs': {
    from: 'docx',
    make: (marker) => docx(paragraph(text(marker)) + paragraph(text('some words '.repeat(22_000))).repeat(8)),
  },
  'many sections with columns': {
    from: 'docx',
    make: (marker) => docx(paragraph(text(marker)) + section.repeat(1_500)),
  },
  'a table in HTML': {
    from: 'html',
    make: (marker) =>
      html(`<p>${marker}</p><table>${`<tr>${'<td>x</td>'.repeat(8)}</tr>`.repeat(6_000)}</table>`),
  },
};

/** Whether one key's times stay within twice their quiet ones while another key sends slow documents without a pause. */
export async function measureSlowDocuments(service: Deployment): Promise<boolean> {
  const [calm, greedy] = [await service.register(), await service.register()];
  await askCalmly(service.url, calm, 5);
  const quiet = await askCalmly(service.url, calm);
  const names = Object.keys(KINDS);
  const counts: Record<string, Record<string, number>> = {};
  let sent = 0;
  // Made before, since they take as long to make as an engine takes for a letter.
  const files = Object.fromEntries(
    names.map((name) => [name, Array.from({ length: VARIANTS }, () => KINDS[name]?.make(newMarker()))]),
  );
  const callers = startAsking(Array<string>(CALLERS).fill(greedy), 0, async (key) => {
    const name = names[sent % names.length] ?? '';
    const file = files[name]?.[Math.floor(sent++ / names.length) % VARIANTS];
    const answer = await sendKind(service.url, key, KINDS[name]?.from ?? '', file ?? Buffer.alloc(0));
    const outcome = Object.keys(tally([answer]))[0] ?? '';
    counts[name] = { ...counts[name], [outcome]: (counts[name]?.[outcome] ?? 0) + 1 };
    return answer;
  });
  await sleep(LEAD_MS);
  const beside = await askCalmly(service.url, calm);
  await callers.stop();
  console.log('The slow documents got', counts);
  return compareTimes(quiet, beside, 'beside slow documents');
}

async function sendKind(url: string, key: string, from: string, file: Buffer): Promise<Answer> {
  const query = `from=${from}`;
  const answer = await answerTo('', () => postDocument(url, key, file, `slow.${from}`, { query }));
  return { ...answer, pdf: undefined };
}
