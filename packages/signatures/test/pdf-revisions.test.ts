import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { Ref, Stream } from '@scriptorium/pdf/read';
import { openRevisions } from '@scriptorium/pdf/revisions';
import { testInWhole } from '@scriptorium/testing/extent';
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
  ['with hybrid cross-reference data', twofoldPdf],
  ['with a form', formPdf],
  ['with a cropped page', croppedPdf],
  ['that is linearized', () => linearizedPdf('disable')],
  ['that is linearized, with object streams', () => linearizedPdf('generate')],
  ['made by LibreOffice', () => officePdf(docxWith(['Agreement']))],
  ['without a final line end', () => plainPdf().subarray(0, -1)],
  ['followed by several line ends', () => Buffer.concat([plainPdf(), latin1('\r\n\r\n')])],
];

test.each(ORIGINALS)('a document %s has a revision for each state and no flaws', async (_, make) => {
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

test.each([
  ['another one', '9', []],
  ['its own', '$', ['STRUCTURE_BROKEN']],
  ['its own, at second sight', '9/L $', ['STRUCTURE_BROKEN']],
])('an updated file whose first object states a length: %s', async (_, stated, expected) => {
  const made = (length: number) =>
    signed(classicPdf(onePage('', `/L ${stated.replace('$', String(length).padStart(6, '0'))}`)), key);
  const { length } = await made(0);
  expect(openRevisions(await made(length)).flaws.map(({ code }) => code)).toEqual(expected);
});

test('offsets count from the header after leading bytes', async () => {
  const pdf = await signed(padded(plainPdf()), key);
  expect(openRevisions(pdf)).toMatchObject({ flaws: [], revisions: [{ number: 1 }, { end: pdf.length }] });
});

// Word ends its files twice; the second end is for a stream before the first one.
test('a hybrid file with two ends has two revisions and no flaws', () => {
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

test('each revision contains the objects of its time', () => {
  const first = plainPdf();
  const pdf = updated(first, (update) => update.replace(new Ref(4, 0), streamBody('', latin1('later'))));
  const contents = openRevisions(pdf).revisions.map(({ document }) => document.object(new Ref(4, 0))?.value);
  expect(contents.map((value) => value instanceof Stream && value.data.toString())).toEqual([
    expect.stringContaining('Agreement'),
    'later',
  ]);
});

test('a stream with an indirect length has the length of that revision', () => {
  const body = (length: string) => `<</Length ${length}>>\nstream\n1234 endstream endobj 5678\nendstream`;
  const first = classicPdf(onePage('', '', [body('7 0 R'), '4']));
  const pdf = updated(first, (update) => update.replace(new Ref(7, 0), '26'));
  const { revisions } = openRevisions(pdf);
  const newest = [...revisions].reverse().map(({ document }) => document.object(new Ref(6, 0))?.value);
  expect(newest.map((value) => value instanceof Stream && value.data.length)).toEqual([26, 4]);
});

test('a stream whose length reaches into a later revision does so only in that revision', () => {
  const first = classicPdf(onePage('', '', ['<</Length 0000>>\nstream\nshort\nendstream']));
  const pdf = updated(first, (update) => update.add('(\nendstream)'));
  const start = pdf.indexOf('short');
  const length = pdf.lastIndexOf('\nendstream)') - start;
  const { revisions } = openRevisions(replaced(pdf, '/Length 0000', `/Length 0${length}`));
  const newest = [...revisions].reverse().map(({ document }) => document.object(new Ref(6, 0))?.value);
  expect(newest.map((value) => value instanceof Stream && value.data.length)).toEqual([length, 5]);
});

testInWhole('fifty revisions of a large file share its memory', async () => {
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

/** Appends a manual update: a table without entries, with this trailer. */
function withTable(pdf: Buffer, keys: string): Buffer {
  const table = `xref\n0 0\ntrailer\n<</Size 9/Root 1 0 R${keys}>>\n`;
  return Buffer.concat([pdf, latin1(`${table}startxref\n${pdf.length}\n%%EOF\n`)]);
}

test.each<[string, () => Buffer, string]>([
  ['has broken cross-reference data', () => misdirected(plainPdf()), 'searched for'],
  ['is followed by other bytes', () => Buffer.concat([plainPdf(), latin1('<html>')]), 'after the end'],
  ['is followed by zeros', () => Buffer.concat([plainPdf(), Buffer.alloc(512)]), 'after the end'],
  ['lacks its end marker', () => plainPdf().subarray(0, -6), 'does not end'],
  [
    'has a trailer with a duplicate key',
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

test('a section that points forward is a flaw unless the file is linearized', () => {
  const first = classicPdf(onePage(), '/Prev 0000');
  const start = startxrefOf(first);
  const pdf = replaced(withTable(first, ''), '/Prev 0000', `/Prev 0${first.length}`);
  const { flaws, revisions } = openRevisions(
    replaced(pdf, `startxref\n${first.length}`, `startxref\n${start}`),
  );
  expect(revisions).toHaveLength(1);
  expect(flaws).toMatchObject([{ code: 'STRUCTURE_BROKEN', message: expect.stringContaining('order') }]);
});
