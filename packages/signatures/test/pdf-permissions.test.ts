import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { classicPdf } from '@scriptorium/testing/fixtures/pdf/build';
import { formBodies, formPdf, packedPdf, plainPdf } from '@scriptorium/testing/fixtures/pdf/documents';
import { pdfsig, qpdfComplaints } from '@scriptorium/testing/judges/pdf';
import { pdfboxSignatures } from '@scriptorium/testing/judges/pdfbox';
import { type OpensslKey, opensslKey } from '@scriptorium/testing/openssl-signing';
import { earlierSignatures } from '../src/pades/earlier-signatures.ts';
import { prepareDocumentTimestamp } from '../src/pades/prepare-signature.ts';
import { readPdf } from '../src/pades/read-pdf.ts';
import { CERTIFICATIONS } from '../src/sign-request.ts';
import { prepared, signed } from './signing.ts';

let key: OpensslKey;
beforeAll(async () => {
  key = await opensslKey('Ada');
});
afterAll(() => key.remove());

test.each(CERTIFICATIONS.map((certify, index) => [certify, index + 1] as const))(
  'a certification that permits %s has level %i, in the permissions of the catalog too',
  async (certify, level) => {
    for (const original of [plainPdf(), packedPdf()]) {
      const pdf = await signed(original, key, { certify });
      expect(readPdf(pdf).docMdp).toBe(level);
      expect(await qpdfComplaints(pdf)).toEqual([]);
      const [[signature] = []] = await pdfboxSignatures([pdf]);
      expect(signature).toMatchObject({ problem: null, certificationLevel: level });
    }
  },
);

test('nothing is signed where a certification permits no changes', async () => {
  const pdf = await signed(plainPdf(), key, { certify: 'noChanges' });
  await expect(prepared(pdf)).rejects.toMatchObject({ code: 'DOCUMENT_LOCKED' });
});

test('a time-stamp is added even then', async () => {
  const pdf = await signed(plainPdf(), key, { certify: 'noChanges' });
  expect(prepareDocumentTimestamp(readPdf(pdf), 4_096).fieldName).toBe('Signature2');
});

test('a certification that permits to fill in forms permits to sign, and holds afterwards', async () => {
  const certified = await signed(formPdf(), key, { certify: 'formFilling' });
  const pdf = await signed(certified, key, { field: 'Signature' });
  expect(earlierSignatures(readPdf(pdf)).map(({ verdict }) => verdict)).toEqual(['holds', 'holds']);
  expect((await pdfsig(pdf)).map(({ validation }) => validation)).toEqual(
    Array(2).fill('Signature is Valid.'),
  );
});

test('a certified document is not certified again, and a signed one not at all', async () => {
  const certified = await signed(plainPdf(), key, { certify: 'annotations' });
  await expect(prepared(certified, { certify: 'annotations' })).rejects.toMatchObject({
    code: 'DOCUMENT_LOCKED',
  });
  const approved = await signed(plainPdf(), key);
  await expect(prepared(approved, { certify: 'formFilling' })).rejects.toMatchObject({
    code: 'UNPROCESSABLE',
  });
});

test('fields that a signature locks are named in its field and in its dictionary', async () => {
  const pdf = await signed(formPdf(), key, {
    lock: { action: 'include', fields: ['Name', 'Unterschrift für B'] },
  });
  expect(readPdf(pdf).locks).toEqual([
    { by: 'Signature1', action: 'Include', fields: ['Name', 'Unterschrift für B'] },
  ]);
  expect(await qpdfComplaints(pdf)).toEqual([]);
  expect((await pdfsig(pdf))[0]?.validation).toBe('Signature is Valid.');
});

test('a field that an earlier signature locked is not signed, and others are', async () => {
  const locked = await signed(formPdf(), key, { lock: { action: 'include', fields: ['Signature'] } });
  await expect(prepared(locked, { field: 'Signature' })).rejects.toMatchObject({
    code: 'DOCUMENT_LOCKED',
    message: expect.stringContaining('`Signature1`'),
  });
  expect((await prepared(locked, { field: 'Other' })).fieldName).toBe('Other');
});

test('no field is signed any more where a signature locked all of them', async () => {
  const locked = await signed(formPdf(), key, { lock: { action: 'all' } });
  await expect(prepared(locked, { field: 'Signature' })).rejects.toMatchObject({ code: 'DOCUMENT_LOCKED' });
});

test('fields that the author of an empty field wanted to be locked are locked by its signature, and the document with them', async () => {
  const bodies = [...formBodies('/Lock 8 0 R'), '<</Type/SigFieldLock/Action/Include/Fields[(Name)]/P 1>>'];
  const pdf = await signed(classicPdf(bodies), key, { field: 'Signature' });
  expect(readPdf(pdf).locks).toEqual([{ by: 'Signature', action: 'Include', fields: ['Name'] }]);
  await expect(prepared(pdf)).rejects.toMatchObject({ code: 'DOCUMENT_LOCKED' });
});
