import { createHash } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { readCertificate } from '@scriptorium/pki/certificates';
import { compareRevisions } from '@scriptorium/rendering/compare-revisions';
import { plainPdf } from '@scriptorium/testing/fixtures/pdf/documents';
import { qpdfComplaints } from '@scriptorium/testing/judges/pdf';
import { textFrom } from '@scriptorium/testing/pdf-reading';
import { HTML_POLICY } from '../../src/reports/html-style.ts';
import { reportModel } from '../../src/reports/model.ts';
import { verdictOf } from '../../src/reports/sentences.ts';
import { verify, verifyReport } from '../../src/verification/verify-document.ts';
import type { ReportFormat, Verification } from '../../src/verify-report.ts';
import { type Lab, openLab } from '../attacks/lab.ts';

const NAMES = {
  script: '<script>alert("Ada")</script>',
  turned: 'Ada \u202efdp.exe',
  arabic: 'أحمد بن عبد الله',
  devanagari: 'क्षितिज श्रीवास्तव',
  long: 'Ada Lovelace '.repeat(800),
};

type Kind = 'valid' | 'changed' | 'untrusted' | 'expired' | 'service' | 'unsigned' | 'hostile';
const KINDS: Kind[] = ['valid', 'changed', 'untrusted', 'expired', 'service', 'unsigned', 'hostile'];

let lab: Lab;
let files: Record<Kind, Buffer>;
beforeAll(async () => {
  lab = await openLab();
  const claims = { name: 'A. Lovelace', reason: 'I agree', location: 'London' };
  const valid = await lab.sign(plainPdf(), { level: 'B-LTA', ...claims });
  const changed = Buffer.from(valid);
  changed.write('Disagreem', changed.indexOf('Agreement'));
  const untrusted = await lab.sign(plainPdf(), claims);
  const soon = await lab.pki.issue({ name: 'Soon', notAfter: new Date(Date.now() + 3_600_000) });
  const expired = await lab.sign(plainPdf(), { by: soon });
  let hostile = plainPdf();
  for (const name of Object.values(NAMES)) {
    const by = await lab.pki.issue({ name: name.slice(0, 300) });
    hostile = await lab.sign(hostile, { by, name, reason: name, location: name });
  }
  files = { valid, changed, untrusted, expired, service: untrusted, unsigned: plainPdf(), hostile };
});
afterAll(() => lab.close());

const request = (kind: Kind, report: ReportFormat) => ({
  source: files[kind],
  verification: { trust: { anchors: [] }, revocation: 'embedded', report } satisfies Verification,
});

const toolsFor = (kind: Kind) => ({
  now: () => new Date(Date.now() + (kind === 'expired' ? 7_200_000 : 0)),
  service: kind === 'service' ? [lab.bob, lab.ada].map(({ chain }) => chain.map(readCertificate)) : [],
  anchors: () => (kind === 'untrusted' || kind === 'service' ? [] : lab.anchors.map(readCertificate)),
  fetcher: lab.fetcher,
});

async function written(kind: Kind, report: ReportFormat): Promise<Buffer> {
  return (await verifyReport(request(kind, report), toolsFor(kind))).bytes;
}

const modelOf = async (kind: Kind) =>
  reportModel(await verify(request(kind, 'json'), toolsFor(kind)), request(kind, 'json').verification);

const HEADLINES: Record<Kind, string> = {
  valid: 'The signature is valid',
  changed: 'Not valid: the document is not as it was signed',
  untrusted: 'Intact, but the signer is not trusted',
  expired: 'Intact, but a certificate has expired',
  service: 'Intact, and signed by this service',
  unsigned: 'The document is not signed',
  hostile: 'All 5 signatures are valid',
};

const ESCAPES: Record<string, string> = {
  '&lt;': '<',
  '&gt;': '>',
  '&quot;': '"',
  '&#39;': "'",
  '&amp;': '&',
};
/** What a reader of the page sees, without white space. */
const seen = (html: string): string =>
  html
    .replace(/<style>.*?<\/style>/s, '')
    .replace(/<[^>]*>/g, ' ')
    .replace(/&\w+;|&#39;/g, (entity) => ESCAPES[entity] ?? entity)
    .replace(/\s/g, '');

test('the result of a valid document says what was added since it was signed', async () => {
  const { text } = verdictOf(await verify(request('hostile', 'json'), toolsFor('hostile')));
  expect(text).toContain('was changed in ways that the signatures permit. A signature was added.');
});

/** All sentences of a report, but times, which differ between two runs. */
function sentencesOf(model: Awaited<ReturnType<typeof modelOf>>): string[] {
  const answers = [model, ...model.signatures].flatMap((each) => each.answers.map(({ answer }) => answer));
  return [
    model.title,
    model.verdict.headline,
    model.verdict.text,
    ...answers,
    ...model.answers.map(({ question }) => question),
    ...model.document.filter(({ label }) => label !== 'Verified as of').map(({ value }) => value),
    ...model.signatures.flatMap(({ title, result, findings, changes }) => [
      title,
      result,
      ...findings.map(({ text }) => text),
      ...changes,
    ]),
    ...model.limits,
  ];
}

describe.each(KINDS)('the report of a document that is %s', (kind) => {
  test('says the verdict first, and all else in HTML and in PDF alike', async () => {
    const model = await modelOf(kind);
    const html = seen((await written(kind, 'html')).toString());
    const pdf = (await textFrom(await written(kind, 'pdf'), 1)).replace(/\s/g, '');
    expect(model.verdict.headline).toBe(HEADLINES[kind]);
    for (const text of [html, pdf])
      expect(
        text.replace(/^.*?Signatureverificationreport/, '').indexOf(HEADLINES[kind].replace(/\s/g, '')),
      ).toBeLessThan(60);
    for (const sentence of sentencesOf(model)) expect(html).toContain(sentence.replace(/\s/g, ''));
    if (kind === 'hostile') return;
    // Columns beside each other mix the lines of their texts.
    for (const sentence of sentencesOf(model)) expect(pdf).toContain(sentence.replace(/\s/g, ''));
  });

  test('loads and runs nothing', async () => {
    const html = (await written(kind, 'html')).toString();
    expect(html).toMatch(/^<!doctype html>\n<html lang="en">/);
    const tags = new Set([...html.matchAll(/<([a-z0-9]+)/g)].map(([, tag]) => tag));
    for (const tag of ['script', 'link', 'img', 'iframe', 'object', 'form', 'a', 'base'])
      expect(tags.has(tag)).toBe(false);
    expect(html).not.toMatch(/<[^>]+\s(on\w+|src|href|style)\s*=/);
    const [, style = ''] = /<style>(.*?)<\/style>/s.exec(html) ?? [];
    const hash = createHash('sha256').update(style).digest('base64');
    expect(HTML_POLICY).toContain(`style-src 'sha256-${hash}'`);
    expect(style).not.toMatch(/url\(|@import/);
  });

  test('is a PDF that other programs can read', async () => {
    expect(await qpdfComplaints(await written(kind, 'pdf'))).toEqual([]);
  });
});

describe('a report for people', () => {
  test('answers the three questions apart', async () => {
    const answers = async (kind: Kind) => (await modelOf(kind)).answers.map(({ answer }) => answer);
    expect(await answers('valid')).toEqual(['Intact', 'Trusted', 'Proven']);
    expect(await answers('changed')).toEqual(['Changed', 'Trusted', 'Proven']);
    expect(await answers('untrusted')).toEqual(['Intact', 'Not trusted', 'Only claimed']);
    expect(await answers('expired')).toEqual(['Intact', 'Expired', 'Only claimed']);
    expect(await answers('service')).toEqual(['Intact', 'This service', 'Only claimed']);
    expect(await answers('unsigned')).toEqual([]);
  });

  test('marks what the signer claims, and the name of a signer who is not trusted', async () => {
    const [trusted] = (await modelOf('valid')).signatures;
    const claimed = trusted?.facts
      .filter(({ isClaimed }) => isClaimed)
      .map(({ label, value }) => [label, value]);
    expect(claimed?.slice(0, 3)).toEqual([
      ['Name', 'A. Lovelace'],
      ['Reason', 'I agree'],
      ['Place', 'London'],
    ]);
    expect(claimed?.at(-1)?.[0]).toBe('Time of signing');
    expect(trusted?.isNameClaimed).toBe(false);
    const [untrusted] = (await modelOf('untrusted')).signatures;
    expect(untrusted?.isNameClaimed).toBe(true);
    const html = seen((await written('untrusted', 'html')).toString());
    expect(html).toContain('AdaLovelaceclaimed');
    const pdf = (await textFrom(await written('untrusted', 'pdf'), 1)).replace(/\s+/g, ' ');
    expect(pdf).toContain('Ada Lovelace (claimed)');
    expect(pdf).toContain('Reason (claimed) I agree');
  });

  test('shows hostile names as text, without characters that turn it, and cut', async () => {
    const html = (await written('hostile', 'html')).toString();
    expect(html).toContain('&lt;script&gt;alert(&quot;Ada&quot;)&lt;/script&gt;');
    expect(html).not.toMatch(/[\u202a-\u202e\u2066-\u2069]/);
    expect(html).toContain(NAMES.arabic);
    expect(html).toContain(NAMES.devanagari);
    expect(html.length).toBeLessThan(60_000);
    const pdf = await textFrom(await written('hostile', 'pdf'), 1);
    expect(pdf).toContain('<script>alert("Ada")</script>');
    expect(pdf.normalize('NFKC')).toContain('الله');
    expect(pdf).toContain('श्रीवास्तव');
  });

  test('does not name the file, but its digest, size and pages', async () => {
    const { document } = await modelOf('valid');
    expect(document.map(({ label }) => label)).toEqual([
      'Type',
      'Pages',
      'Size',
      'SHA-256',
      'Signatures',
      'Verified as of',
    ]);
    expect(document[3]?.value).toBe(createHash('sha256').update(files.valid).digest('hex'));
  });

  test('says what was not checked', async () => {
    const limits = (await modelOf('untrusted')).limits.join(' ');
    expect(limits).toContain('Authorities were not asked about revocation');
    expect(limits).toContain('Not checked for signature 1: whether certificates are revoked');
    expect(limits).toContain('does not say whether a signer was entitled to sign');
  });
});

test('a page and a PDF show the pictures of changed pages, which the policy of the page permits', async () => {
  const appearance = { page: 1, rectangle: { x: 50, y: 50, width: 150, height: 40 }, text: 'Bob' };
  const source = await lab.sign(await lab.sign(plainPdf()), { by: lab.bob, appearance });
  const { verification } = request('valid', 'html');
  const tools = { ...toolsFor('valid'), renderer: { compare: compareRevisions } };
  const asked = { source, verification: { ...verification, pictures: true } };
  const html = (await verifyReport(asked, tools)).bytes.toString();
  expect(html.match(/<img src="data:image\/png;base64,iVBORw0KGgo[^"]*"/g)).toHaveLength(2);
  expect(html).toContain('Page 1 in revision 3, drawn by PDFium: one difference from the picture before');
  expect(HTML_POLICY).toContain('img-src data:');
  const plain = (await verifyReport({ source, verification }, tools)).bytes.toString();
  expect(plain).not.toContain('<img');
  const printed = { ...asked, verification: { ...asked.verification, report: 'pdf' as const } };
  const pdf = (await verifyReport(printed, tools)).bytes;
  expect(await qpdfComplaints(pdf)).toEqual([]);
  expect(pdf.toString('latin1').match(/\/Subtype\/Image\/Width 667\/Height 1000/g)).toHaveLength(2);
});
