import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { Ref, Stream } from '@scriptorium/pdf/read';
import { openRevisions } from '@scriptorium/pdf/revisions';
import { docxWith } from '@scriptorium/testing/fixtures/docx';
import { classicPdf, streamBody } from '@scriptorium/testing/fixtures/pdf/build';
import {
  croppedPdf,
  formPdf,
  heavyPdf,
  misdirected,
  onePage,
  packedPdf,
  padded,
  plainPdf,
  twofoldPdf,
} from '@scriptorium/testing/fixtures/pdf/documents';
import { linearizedPdf } from '@scriptorium/testing/fixtures/pdf/programs';
import { officePdf } from '@scriptorium/testing/office';
import { type OpensslKey, opensslKey } from '@scriptorium/testing/openssl-signing';
import { latin1, replaced, startxrefOf, updated } from './pdf-edits.ts';
import { signed } from './signing.ts';

let key: OpensslKey;
beforeAll(async () => {
  key = await opensslKey('Ada');
});
afterAll(() => key.remove());

const ORIGINALS: [string, () => Buffer | Promise<Buffer>][] = [
  ['with a table', plainPdf],
  ['with a cross-reference stream', packedPdf],
  ['of the hybrid kind', twofoldPdf],
  ['with a form', formPdf],
  ['with a page that is cropped', croppedPdf],
  ['that is linearised', () => linearizedPdf('disable')],
  ['that is linearised, with object streams', () => linearizedPdf('generate')],
  ['that LibreOffice made', () => officePdf(docxWith(['Agreement']))],
  ['without a line end behind it', () => plainPdf().subarray(0, -1)],
  ['that several line ends follow', () => Buffer.concat([plainPdf(), latin1('\r\n\r\n')])],
];

test.each(ORIGINALS)('a document %s has a revision for each of its states, and no flaw', async (_, make) => {
  const original = await make();
  const once = await signed(original, key);
  const twice = await signed(once, key);
  const { revisions, flaws } = openRevisions(twice);
  expect(flaws).toEqual([]);
  expect(revisions.map(({ number }) => number)).toEqual([1, 2, 3]);
  expect(revisions.slice(1).map(({ end }) => end)).toEqual([once.length, twice.length]);
  expect(revisions.map(({ document }) => document.xref.startxref)).toEqual(
    [original, once, twice].map(startxrefOf),
  );
  expect(openRevisions(original)).toMatchObject({ flaws: [], revisions: [{ number: 1 }] });
});

test('offsets count from the header where mail put bytes before it', async () => {
  const pdf = await signed(padded(plainPdf()), key);
  expect(openRevisions(pdf)).toMatchObject({ flaws: [], revisions: [{ number: 1 }, { end: pdf.length }] });
});

// Word ends its files twice; the second time for a stream that lies before the first end.
test('a hybrid file that ends twice has two revisions, and no flaw', () => {
  const text = twofoldPdf().toString('latin1');
  const [, beside] = /\/XRefStm (\d+)/.exec(text) ?? [];
  const first = text.replace(/\/XRefStm \d+/, '');
  const table = startxrefOf(latin1(first));
  const second = `xref\n0 0\ntrailer\n<</Size 8/Root 1 0 R/Prev ${table}/XRefStm ${beside}>>\n`;
  const pdf = latin1(`${first}${second}startxref\n${first.length}\n%%EOF\n`);
  const { revisions, flaws, last } = openRevisions(pdf);
  expect(flaws).toEqual([]);
  expect(revisions.map(({ end }) => end)).toEqual([first.length, pdf.length]);
  expect(last.document.get(last.document.catalog.value, 'Outlines')).not.toBeNull();
});

test('each revision has an object as it was then', () => {
  const first = plainPdf();
  const pdf = updated(first, (update) => update.replace(new Ref(4, 0), streamBody('', latin1('later'))));
  const contents = openRevisions(pdf).revisions.map(({ document }) => document.object(new Ref(4, 0))?.value);
  expect(contents.map((value) => value instanceof Stream && value.data.toString())).toEqual([
    expect.stringContaining('Agreement'),
    'later',
  ]);
});

test('a stream whose length lies in another object is as long in each revision as that says there', () => {
  const body = (length: string) => `<</Length ${length}>>\nstream\n1234 endstream endobj 5678\nendstream`;
  const first = classicPdf(onePage('', '', [body('7 0 R'), '4']));
  const pdf = updated(first, (update) => update.replace(new Ref(7, 0), '26'));
  const { revisions } = openRevisions(pdf);
  const newest = [...revisions].reverse().map(({ document }) => document.object(new Ref(6, 0))?.value);
  expect(newest.map((value) => value instanceof Stream && value.data.length)).toEqual([26, 4]);
});

test('a stream that claims to reach into a later revision does so in that one alone', () => {
  const first = classicPdf(onePage('', '', ['<</Length 0000>>\nstream\nshort\nendstream']));
  const pdf = updated(first, (update) => update.add('(\nendstream)'));
  const start = pdf.indexOf('short');
  const length = pdf.lastIndexOf('\nendstream)') - start;
  const { revisions } = openRevisions(replaced(pdf, '/Length 0000', `/Length 0${length}`));
  const newest = [...revisions].reverse().map(({ document }) => document.object(new Ref(6, 0))?.value);
  expect(newest.map((value) => value instanceof Stream && value.data.length)).toEqual([length, 5]);
});

test('fifty revisions of a large file share its memory', async () => {
  let pdf = await signed(heavyPdf(5_000_000), key);
  for (let count = 0; count < 50; count++) pdf = updated(pdf, (update) => update.add(`<</Count ${count}>>`));
  const { revisions, flaws } = openRevisions(pdf);
  expect(flaws).toEqual([]);
  expect(revisions).toHaveLength(52);
  for (const { document, end } of revisions) {
    expect(document.bytes).toHaveLength(end);
    expect(document.bytes.buffer).toBe(pdf.buffer);
  }
});

/** An update by hand: a table that lists nothing, with this trailer. */
function withTable(pdf: Buffer, keys: string): Buffer {
  const table = `xref\n0 0\ntrailer\n<</Size 9/Root 1 0 R${keys}>>\n`;
  return Buffer.concat([pdf, latin1(`${table}startxref\n${pdf.length}\n%%EOF\n`)]);
}

test.each<[string, () => Buffer, string]>([
  ['does not say where its objects are', () => misdirected(plainPdf()), 'searched for'],
  ['is followed by something', () => Buffer.concat([plainPdf(), latin1('<html>')]), 'follow the end'],
  ['is followed by zeros', () => Buffer.concat([plainPdf(), Buffer.alloc(512)]), 'follow the end'],
  ['lacks the mark of its end', () => plainPdf().subarray(0, -6), 'does not end'],
  [
    'has a trailer with a key twice',
    () => withTable(plainPdf(), `/Info 5 0 R/Info 4 0 R/Prev ${startxrefOf(plainPdf())}`),
    'twice',
  ],
  [
    'ends twice',
    () => Buffer.concat([plainPdf(), latin1(`startxref\n${startxrefOf(plainPdf())}\n%%EOF\n`)]),
    'does not end',
  ],
])('a document that %s has a flaw', (_, make, message) => {
  const { flaws } = openRevisions(make());
  expect(flaws.map((flaw) => flaw.message).join('\n')).toContain(message);
});

test('a section that points forward in the file is a flaw where the file is not linearised', () => {
  const first = classicPdf(onePage(), '/Prev 0000');
  const start = startxrefOf(first);
  const pdf = replaced(withTable(first, ''), '/Prev 0000', `/Prev 0${first.length}`);
  const { flaws, revisions } = openRevisions(
    replaced(pdf, `startxref\n${first.length}`, `startxref\n${start}`),
  );
  expect(revisions).toHaveLength(1);
  expect(flaws).toMatchObject([{ code: 'STRUCTURE_BROKEN', message: expect.stringContaining('order') }]);
});
