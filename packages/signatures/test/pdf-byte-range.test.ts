import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { xrefStreamPdf } from '@scriptorium/testing/fixtures/pdf/build';
import { onePage, plainPdf } from '@scriptorium/testing/fixtures/pdf/documents';
import { type OpensslKey, opensslKey } from '@scriptorium/testing/openssl-signing';
import { readPdfEvidence } from '../src/pades/pdf-evidence.ts';
import { codesOf, replaced, signedOddly } from './pdf-edits.ts';
import { signed } from './signing.ts';

let key: OpensslKey;
beforeAll(async () => {
  key = await opensslKey('Ada');
});
afterAll(() => key.remove());

type Range = readonly [number, number, number, number];

/** Replaces the byte range in the dictionary. */
function withRange(pdf: Buffer, text: (range: Range) => string): Buffer {
  const [written = '', ...numbers] =
    /(?<=\/ByteRange )\[(\d+) (\d+) (\d+) (\d+) *\]/.exec(pdf.toString('latin1')) ?? [];
  return replaced(pdf, written, text(numbers.map(Number) as unknown as Range));
}

test.each<[string, (range: Range) => string]>([
  ['no numbers', () => '[]'],
  ['three numbers', ([a, b, c]) => `[${a} ${b} ${c}]`],
  ['six numbers', ([a, b, c, d]) => `[${a} ${b} ${c} ${d} ${c} 1]`],
  ['a negative number', ([, b, c, d]) => `[-0 ${b} ${c} ${d}]`],
  ['a fraction', ([a, b, c, d]) => `[${a} ${b}.0 ${c} ${d}]`],
  ['a reference', ([a, b, c]) => `[${a} ${b} ${c} 5 0 R]`],
  ['another start than the file start', ([, b, c, d]) => `[1 ${b} ${c} ${d}]`],
  ['overlapping parts', ([a, , c, d]) => `[${a} ${c + 1} ${c} ${d}]`],
  ['an end beyond the file', ([a, b, c, d]) => `[${a} ${b} ${c} ${d + 1}]`],
  ['a number larger than any file', ([a, b, c]) => `[${a} ${b} ${c} 99999999999999]`],
])('a byte range of %s is invalid', async (_, text) => {
  expect(codesOf(withRange(await signed(plainPdf(), key), text)).Signature1).toContain('BYTE_RANGE_INVALID');
});

test.each<[string, (range: Range) => string]>([
  ['an extra byte before the value', ([a, b, c, d]) => `[${a} ${b - 1} ${c} ${d}]`],
  ['only the digits of the value', ([a, b, c, d]) => `[${a} ${b + 1} ${c - 1} ${d + 1}]`],
  ['nothing', ([a, , , d]) => `[${a} 100 100 ${d}]`],
])('a byte range that excludes %s has an invalid gap', async (_, text) => {
  expect(codesOf(withRange(await signed(plainPdf(), key), text)).Signature1).toContain('BYTE_RANGE_GAP');
});

test('a byte range that ends before its revision covers it partially, despite a correct digest', async () => {
  const pdf = await signed(plainPdf(), key);
  const short = withRange(pdf, ([a, b, c, d]) => `[${a} ${b} ${c} ${d - 20}]`);
  expect(codesOf(short).Signature1).toContain('COVERAGE_PARTIAL');
});

test('a byte range without the line end after the last line covers the whole file', async () => {
  const pdf = (await signed(plainPdf(), key)).subarray(0, -1);
  const codes = codesOf(withRange(pdf, ([a, b, c, d]) => `[${a} ${b} ${c} ${d - 1}]`)).Signature1;
  expect(codes).toEqual(['DIGEST_MISMATCH']);
});

test.each<[string, (value: string) => string]>([
  ['a text', (value) => `(${value.slice(1, -1)})`],
  ['empty', () => '<>'],
  ['zeros only', (value) => `<${'0'.repeat(value.length - 2)}>`],
  ['digits with other characters between them', (value) => `${value.slice(0, 100)}/x(${value.slice(104)}`],
  ['a reference', () => '5 0 R'],
])('a value that is %s is invalid', async (_, change) => {
  const pdf = await signed(plainPdf(), key);
  const [value = ''] = /(?<=\/Contents )<[0-9a-f]+>/i.exec(pdf.toString('latin1')) ?? [];
  const [signature] = readPdfEvidence(replaced(pdf, value, change(value))).signatures;
  expect(signature?.faults.map(({ code }) => code)).toContain('CONTENTS_INVALID');
  expect(signature?.core).toBeUndefined();
});

test.each(['/Contents<3000>', '/ByteRange[0 1 2 3]', '/SubFilter/adbe.pkcs7.sha1'])(
  'a signature dictionary with a second %s has a duplicate key',
  async (more) => {
    const reason = 'x'.repeat(60);
    const edit = (bytes: Buffer) => replaced(bytes, `/Reason(${reason})`, more);
    expect(codesOf(await signedOddly(plainPdf(), key, edit, { reason })).Signature1).toContain(
      'DUPLICATE_KEY',
    );
  },
);

test('an unreadable signature dictionary still counts as a signature', async () => {
  const pdf = replaced(await signed(plainPdf(), key), '/SubFilter/ETSI', '/SubFilter )');
  expect(codesOf(pdf).Signature1).toEqual(expect.arrayContaining(['BYTE_RANGE_INVALID', 'CONTENTS_INVALID']));
});

test('a signature in an object stream is invalid', () => {
  const signature = '<</Type/Sig/SubFilter/ETSI.CAdES.detached/ByteRange[0 9 11 20]/Contents<3000>>>';
  const pdf = xrefStreamPdf(
    onePage('', '/AcroForm<</Fields[6 0 R]>>', ['<</FT/Sig/T(s)/V 7 0 R>>', signature]),
  );
  expect(codesOf(pdf).s).toContain('BYTE_RANGE_GAP');
});

test.each([
  ['an unknown format', '/SubFilter/ETSI.CAdES.detached', '/SubFilter/Example.detached'],
  ['an unsupported format', '/SubFilter/ETSI.CAdES.detached', '/SubFilter/adbe.x509.rsa_sha1'],
  ['a wrong time-stamp format', '/SubFilter/ETSI.CAdES.detached', '/SubFilter/ETSI.RFC3161'],
  ['another type', '/Type/Sig', '/Type/Lie'],
])('a signature with %s is reported as unsupported', async (_, before, now) => {
  const pdf = replaced(await signed(plainPdf(), key), before, now);
  expect(codesOf(pdf).Signature1).toContain('FORMAT_UNSUPPORTED');
});
