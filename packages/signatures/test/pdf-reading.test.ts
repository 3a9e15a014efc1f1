import { describe, expect, test } from '@jest/globals';
import { cpuMsSince } from '@scriptorium/testing/cpu-time';
import { few } from '@scriptorium/testing/extent';
import { classicPdf } from '@scriptorium/testing/fixtures/pdf/build';
import {
  formPdf,
  onePage,
  packedPdf,
  plainPdf,
  twofoldPdf,
} from '@scriptorium/testing/fixtures/pdf/documents';
import { HOSTILE_PDFS } from '@scriptorium/testing/fixtures/pdf/hostile';
import { linearizedPdf } from '@scriptorium/testing/fixtures/pdf/programs';
import { readPdf } from '../src/pades/read-pdf.ts';
import { prepared } from './signing.ts';

test.each([
  ['table', plainPdf],
  ['stream', packedPdf],
  ['hybrid', twofoldPdf],
] as const)('the cross-reference data of a document are recognized as a %s', (kind, make) => {
  expect(readPdf(make())).toMatchObject({
    xrefKind: kind,
    pageCount: 1,
    isSigned: false,
    isLinearised: false,
  });
});

test('a linearized document is recognized', async () => {
  expect(readPdf(await linearizedPdf('disable'))).toMatchObject({ isLinearised: true, xrefKind: 'table' });
  expect(readPdf(await linearizedPdf('generate'))).toMatchObject({ isLinearised: true, xrefKind: 'stream' });
});

test('the fields of a form are found by full name, including the empty signature field', () => {
  const { form } = readPdf(formPdf());
  expect([...form.names]).toEqual(['Name', 'Signature']);
  expect(form.signatureFields.map(({ name, signature }) => [name, signature])).toEqual([
    ['Signature', undefined],
  ]);
});

test('names of nested fields are joined by dots', () => {
  const parent = '<</T(Parties)/Kids[7 0 R 8 0 R]>>';
  const kid = (name: string) => `<</T(${name})/FT/Sig/Parent 6 0 R>>`;
  const pdf = classicPdf(onePage('', '/AcroForm<</Fields[6 0 R]>>', [parent, kid('Buyer'), kid('Seller')]));
  expect(readPdf(pdf).form.signatureFields.map(({ name }) => name)).toEqual([
    'Parties.Buyer',
    'Parties.Seller',
  ]);
});

describe.each(few(HOSTILE_PDFS, 6))('$name', ({ make, code }) => {
  test(`is rejected with ${code} in bounded memory and time`, async () => {
    const pdf = make();
    const startedAt = process.cpuUsage();
    await expect(prepared(pdf).then(() => 'signed')).rejects.toMatchObject({ code });
    expect(cpuMsSince(startedAt)).toBeLessThan(10_000);
  });
});
