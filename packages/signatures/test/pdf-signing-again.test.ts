import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { testInWhole } from '@scriptorium/testing/extent';
import { classicPdf } from '@scriptorium/testing/fixtures/pdf/build';
import {
  formBodies,
  formPdf,
  misdirected,
  packedPdf,
  padded,
  plainPdf,
  twofoldPdf,
} from '@scriptorium/testing/fixtures/pdf/documents';
import { linearizedPdf } from '@scriptorium/testing/fixtures/pdf/programs';
import { mutoolVerdicts, pdfsig, qpdfComplaints } from '@scriptorium/testing/judges/pdf';
import { pdfboxSignatures } from '@scriptorium/testing/judges/pdfbox';
import { type OpensslKey, opensslKey } from '@scriptorium/testing/openssl-signing';
import { earlierSignatures, refuseBrokenSignatures } from '../src/pades/earlier-signatures.ts';
import { readPdf } from '../src/pades/read-pdf.ts';
import { prepared, signed } from './signing.ts';

let ada: OpensslKey;
let bob: OpensslKey;
beforeAll(async () => {
  ada = await opensslKey('Ada');
  bob = await opensslKey('Bob');
});
afterAll(() => Promise.all([ada.remove(), bob.remove()]));

async function signedThrice(original: Buffer): Promise<Buffer> {
  const once = await signed(original, ada);
  const twice = await signed(once, bob, { field: 'Witness' });
  const thrice = await signed(twice, ada);
  expect(thrice.subarray(0, twice.length).equals(twice)).toBe(true);
  expect(twice.subarray(0, once.length).equals(once)).toBe(true);
  return thrice;
}

const NAMES = ['Signature1', 'Signature2', 'Witness'];

testInWhole(
  'three signatures on each type of document are valid, and only the last covers the whole file',
  async () => {
    const originals = [plainPdf(), packedPdf(), twofoldPdf()];
    originals.push(await linearizedPdf('disable'), await linearizedPdf('generate'));
    const pdfs = await Promise.all(originals.map(signedThrice));
    for (const pdf of pdfs) {
      const judged = await pdfsig(pdf);
      expect(judged.map(({ validation }) => validation)).toEqual(Array(3).fill('Signature is Valid.'));
      expect(judged.filter(({ coversAll }) => coversAll).map(({ field }) => field)).toEqual(['Signature2']);
      expect(judged.map(({ field }) => field).sort()).toEqual(NAMES);
      expect(await qpdfComplaints(pdf)).toEqual([]);
      expect((await mutoolVerdicts(pdf)).filter((verdict) => verdict.includes('rror'))).toEqual([]);
      expect(earlierSignatures(readPdf(pdf)).map(({ verdict }) => verdict)).toEqual(Array(3).fill('holds'));
    }
    for (const signatures of await pdfboxSignatures(pdfs)) {
      expect(signatures.map(({ problem }) => problem)).toEqual([null, null, null]);
    }
  },
);

testInWhole(
  'offsets count from the header after leading bytes, and trailing bytes have no effect',
  async () => {
    const pdfs = [await signedThrice(padded(plainPdf())), await signedThrice(padded(packedPdf()))];
    for (const pdf of pdfs) {
      expect((await pdfsig(pdf)).map(({ validation }) => validation)).toEqual(
        Array(3).fill('Signature is Valid.'),
      );
      expect(await qpdfComplaints(pdf)).toEqual([]);
    }
    for (const signatures of await pdfboxSignatures(pdfs)) {
      expect(signatures.map(({ problem }) => problem)).toEqual([null, null, null]);
    }
  },
);

test('a document with broken cross-reference data gets a new table with its first signature', async () => {
  for (const original of [misdirected(plainPdf()), misdirected(packedPdf())]) {
    const pdf = await signedThrice(original);
    expect((await pdfsig(pdf)).map(({ validation }) => validation)).toEqual(
      Array(3).fill('Signature is Valid.'),
    );
    expect(await qpdfComplaints(pdf)).toEqual([]);
  }
});

test('a signed document with broken cross-reference data is rejected', async () => {
  const pdf = misdirected(await signed(plainPdf(), ada));
  await expect(prepared(pdf)).rejects.toMatchObject({
    code: 'INVALID_FILE_FORMAT',
    message: expect.stringContaining('a repair would break its signatures'),
  });
});

testInWhole('an empty field is signed and no other field is created', async () => {
  const pdf = await signed(formPdf(), ada, { field: 'Signature' });
  expect(await pdfsig(pdf)).toEqual([
    { field: 'Signature', validation: 'Signature is Valid.', coversAll: true },
  ]);
  expect([...readPdf(pdf).form.names]).toEqual(['Name', 'Signature']);
  const [[signature] = []] = await pdfboxSignatures([pdf]);
  expect(signature).toMatchObject({ field: 'Signature', problem: null, widgets: 1 });
});

// Poppler and MuPDF look for the value only in the widget, but it is in the field (ISO 32000-2, 12.7.4.1).
test('a field with a separate widget can be signed', async () => {
  const bodies = [...formBodies()];
  bodies[2] = `${bodies[2]}`.replace('7 0 R', '8 0 R');
  bodies[6] = '<</FT/Sig/T(Signature)/Kids[8 0 R]>>';
  bodies.push('<</Type/Annot/Subtype/Widget/Parent 7 0 R/F 4/Rect[50 100 250 160]/P 3 0 R>>');
  const [signatures] = await pdfboxSignatures([
    await signed(classicPdf(bodies), ada, { field: 'Signature' }),
  ]);
  expect(signatures).toMatchObject([{ field: 'Signature', problem: null, coversAll: true, widgets: 1 }]);
});

test('a signed field cannot be signed again', async () => {
  const pdf = await signed(formPdf(), ada, { field: 'Signature' });
  await expect(prepared(pdf, { field: 'Signature' })).rejects.toMatchObject({ code: 'FIELD_ALREADY_SIGNED' });
});

test.each([
  ['Name', 'not a signature field'],
  ['New.Signature', 'must not contain dots'],
])('the field %s is rejected with the reason', async (field, issue) => {
  await expect(prepared(formPdf(), { field })).rejects.toMatchObject({
    code: 'VALIDATION_ERROR',
    details: [{ field: 'field', issue: expect.stringContaining(issue) }],
  });
});

test('a signature of a changed document is reported as broken, with its field', async () => {
  const pdf = await signed(plainPdf(), ada);
  pdf.write('Agreemint', pdf.indexOf('Agreement'), 'latin1');
  const signatures = earlierSignatures(readPdf(pdf));
  expect(signatures).toMatchObject([{ fieldName: 'Signature1', verdict: 'digestMismatch' }]);
  expect(() => refuseBrokenSignatures(signatures)).toThrow(
    expect.objectContaining({ code: 'UNPROCESSABLE', message: expect.stringContaining('`Signature1`') }),
  );
});

test('a signature with a changed value is reported as broken', async () => {
  const pdf = await signed(plainPdf(), ada);
  const end = /[1-9A-Fa-f]0*>/.exec(pdf.toString('latin1', pdf.indexOf('/Contents <')));
  const at = pdf.indexOf('/Contents <') + (end?.index ?? 0);
  pdf.write(pdf[at] === 0x31 ? '2' : '1', at, 'latin1');
  const [signature] = earlierSignatures(readPdf(pdf));
  expect(['signatureInvalid', 'malformed']).toContain(signature?.verdict);
});

test('a byte range that excludes more than the value is reported as broken', async () => {
  const pdf = await signed(plainPdf(), ada);
  const text = pdf.toString('latin1');
  const [whole, , start, second] = /\[0 ()(\d+) (\d+) \d+/.exec(text) ?? [];
  const changed = text.replace(
    `${whole}`,
    `${whole}`.replace(` ${start} ${second}`, ` ${Number(start) - 1} ${second}`),
  );
  expect(earlierSignatures(readPdf(Buffer.from(changed, 'latin1')))).toMatchObject([
    { verdict: 'malformed' },
  ]);
});
