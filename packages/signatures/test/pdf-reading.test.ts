import { describe, expect, test } from '@jest/globals';
import { classicPdf } from '@scriptorium/testing/fixtures/pdf/build';
import {
  formPdf,
  onePage,
  packedPdf,
  plainPdf,
  twofoldPdf,
} from '@scriptorium/testing/fixtures/pdf/documents';
import { HOSTILE_PDFS } from '@scriptorium/testing/fixtures/pdf/hostile';
import { encryptedPdf, linearizedPdf } from '@scriptorium/testing/fixtures/pdf/programs';
import { readPdf } from '../src/pades/read-pdf.ts';
import { prepared } from './signing.ts';

test.each([
  ['table', plainPdf],
  ['stream', packedPdf],
  ['hybrid', twofoldPdf],
] as const)('the cross-reference data of a document are told to be a %s', (kind, make) => {
  expect(readPdf(make())).toMatchObject({
    xrefKind: kind,
    pageCount: 1,
    isSigned: false,
    isLinearised: false,
  });
});

test('a linearised document is told to be one', async () => {
  expect(readPdf(await linearizedPdf('disable'))).toMatchObject({ isLinearised: true, xrefKind: 'table' });
  expect(readPdf(await linearizedPdf('generate'))).toMatchObject({ isLinearised: true, xrefKind: 'stream' });
});

test('the fields of a form are found by their full names, and of those the empty signature field', () => {
  const { form } = readPdf(formPdf());
  expect([...form.names]).toEqual(['Name', 'Signature']);
  expect(form.signatureFields.map(({ name, signature }) => [name, signature])).toEqual([
    ['Signature', undefined],
  ]);
});

test('names of fields below others are joined by dots', () => {
  const parent = '<</T(Parties)/Kids[7 0 R 8 0 R]>>';
  const kid = (name: string) => `<</T(${name})/FT/Sig/Parent 6 0 R>>`;
  const pdf = classicPdf(onePage('', '/AcroForm<</Fields[6 0 R]>>', [parent, kid('Buyer'), kid('Seller')]));
  expect(readPdf(pdf).form.signatureFields.map(({ name }) => name)).toEqual([
    'Parties.Buyer',
    'Parties.Seller',
  ]);
});

test('an encrypted document is refused as such, even where it opens without a password', async () => {
  const pdf = await encryptedPdf();
  expect(() => readPdf(pdf)).toThrow(expect.objectContaining({ code: 'DOCUMENT_ENCRYPTED' }));
});

describe.each(HOSTILE_PDFS)('$name', ({ make, code }) => {
  test(`is refused with ${code}, without end of memory or time`, async () => {
    const pdf = make();
    await expect(prepared(pdf).then(() => 'signed')).rejects.toMatchObject({ code });
  }, 10_000);
});
