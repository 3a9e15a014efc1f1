import { afterAll, beforeAll, expect, test } from '@jest/globals';
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

test('three signatures on a document of each kind all hold, and only the last one covers all of it', async () => {
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
});

test('offsets count from the header where mail added bytes before it, and what stands behind the end does no harm', async () => {
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
});

test('a document that does not say where its objects are gets a table of them with its first signature', async () => {
  for (const original of [misdirected(plainPdf()), misdirected(packedPdf())]) {
    const pdf = await signedThrice(original);
    expect((await pdfsig(pdf)).map(({ validation }) => validation)).toEqual(
      Array(3).fill('Signature is Valid.'),
    );
    expect(await qpdfComplaints(pdf)).toEqual([]);
  }
});

test('a signed document that does not say where its objects are is refused', async () => {
  const pdf = misdirected(await signed(plainPdf(), ada));
  await expect(prepared(pdf)).rejects.toMatchObject({
    code: 'INVALID_FILE_FORMAT',
    message: expect.stringContaining('a repair would break its signatures'),
  });
});

test('an empty field of the document takes the signature, and no other field is made', async () => {
  const pdf = await signed(formPdf(), ada, { field: 'Signature' });
  expect(await pdfsig(pdf)).toEqual([
    { field: 'Signature', validation: 'Signature is Valid.', coversAll: true },
  ]);
  expect([...readPdf(pdf).form.names]).toEqual(['Name', 'Signature']);
  const [[signature] = []] = await pdfboxSignatures([pdf]);
  expect(signature).toMatchObject({ field: 'Signature', problem: null, widgets: 1 });
});

// Poppler and MuPDF look for the value in the widget alone, which the field has (ISO 32000-2, 12.7.4.1).
test('a field whose widget is an object of its own takes the signature too', async () => {
  const bodies = [...formBodies()];
  bodies[2] = `${bodies[2]}`.replace('7 0 R', '8 0 R');
  bodies[6] = '<</FT/Sig/T(Signature)/Kids[8 0 R]>>';
  bodies.push('<</Type/Annot/Subtype/Widget/Parent 7 0 R/F 4/Rect[50 100 250 160]/P 3 0 R>>');
  const [signatures] = await pdfboxSignatures([
    await signed(classicPdf(bodies), ada, { field: 'Signature' }),
  ]);
  expect(signatures).toMatchObject([{ field: 'Signature', problem: null, coversAll: true, widgets: 1 }]);
});

test('a field that is signed is not signed again', async () => {
  const pdf = await signed(formPdf(), ada, { field: 'Signature' });
  await expect(prepared(pdf, { field: 'Signature' })).rejects.toMatchObject({ code: 'FIELD_ALREADY_SIGNED' });
});

test.each([
  ['Name', 'no signature field'],
  ['New.Signature', 'without dots'],
])('the field %s is refused, and the answer says why', async (field, issue) => {
  await expect(prepared(formPdf(), { field })).rejects.toMatchObject({
    code: 'VALIDATION_ERROR',
    details: [{ field: 'field', issue: expect.stringContaining(issue) }],
  });
});

test('a signature whose document was changed is told to be broken, by its field', async () => {
  const pdf = await signed(plainPdf(), ada);
  pdf.write('Agreemint', pdf.indexOf('Agreement'), 'latin1');
  const signatures = earlierSignatures(readPdf(pdf));
  expect(signatures).toMatchObject([{ fieldName: 'Signature1', verdict: 'digestMismatch' }]);
  expect(() => refuseBrokenSignatures(signatures)).toThrow(
    expect.objectContaining({ code: 'UNPROCESSABLE', message: expect.stringContaining('`Signature1`') }),
  );
});

test('a signature whose value was changed is told to be broken', async () => {
  const pdf = await signed(plainPdf(), ada);
  const end = /[1-9A-Fa-f]0*>/.exec(pdf.toString('latin1', pdf.indexOf('/Contents <')));
  const at = pdf.indexOf('/Contents <') + (end?.index ?? 0);
  pdf.write(pdf[at] === 0x31 ? '2' : '1', at, 'latin1');
  const [signature] = earlierSignatures(readPdf(pdf));
  expect(['signatureInvalid', 'malformed']).toContain(signature?.verdict);
});

test('a byte range that leaves out more than the value is told to be broken', async () => {
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
