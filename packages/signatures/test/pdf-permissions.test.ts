import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { few } from '@scriptorium/testing/extent';
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

test.each(
  few(
    CERTIFICATIONS.map((certify, index) => [certify, index + 1] as const),
    1,
  ),
)(
  'a certification that permits %s has level %i, also in the catalog’s permissions',
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

test('signing fails if a certification permits no changes', async () => {
  const pdf = await signed(plainPdf(), key, { certify: 'noChanges' });
  await expect(prepared(pdf)).rejects.toMatchObject({ code: 'DOCUMENT_LOCKED' });
});

test('a document time-stamp is possible despite such a certification', async () => {
  const pdf = await signed(plainPdf(), key, { certify: 'noChanges' });
  expect(prepareDocumentTimestamp(readPdf(pdf), 4_096).fieldName).toBe('Signature2');
});

test('a certification that permits form filling permits signing and stays valid', async () => {
  const certified = await signed(formPdf(), key, { certify: 'formFilling' });
  const pdf = await signed(certified, key, { field: 'Signature' });
  expect(earlierSignatures(readPdf(pdf)).map(({ verdict }) => verdict)).toEqual(['holds', 'holds']);
  expect((await pdfsig(pdf)).map(({ validation }) => validation)).toEqual(
    Array(2).fill('Signature is Valid.'),
  );
});

test('a certified or signed document cannot be certified', async () => {
  const certified = await signed(plainPdf(), key, { certify: 'annotations' });
  await expect(prepared(certified, { certify: 'annotations' })).rejects.toMatchObject({
    code: 'DOCUMENT_LOCKED',
  });
  const approved = await signed(plainPdf(), key);
  await expect(prepared(approved, { certify: 'formFilling' })).rejects.toMatchObject({
    code: 'UNPROCESSABLE',
  });
});

test('fields locked by a signature are named in its field and in its dictionary', async () => {
  const pdf = await signed(formPdf(), key, {
    lock: { action: 'include', fields: ['Name', 'Unterschrift für B'] },
  });
  expect(readPdf(pdf).locks).toEqual([
    { by: 'Signature1', action: 'Include', fields: ['Name', 'Unterschrift für B'] },
  ]);
  expect(await qpdfComplaints(pdf)).toEqual([]);
  expect((await pdfsig(pdf))[0]?.validation).toBe('Signature is Valid.');
});

test('a field locked by an earlier signature cannot be signed, but others can', async () => {
  const locked = await signed(formPdf(), key, { lock: { action: 'include', fields: ['Signature'] } });
  await expect(prepared(locked, { field: 'Signature' })).rejects.toMatchObject({
    code: 'DOCUMENT_LOCKED',
    message: expect.stringContaining('`Signature1`'),
  });
  expect((await prepared(locked, { field: 'Other' })).fieldName).toBe('Other');
});

test('no field can be signed after a signature locked all fields', async () => {
  const locked = await signed(formPdf(), key, { lock: { action: 'all' } });
  await expect(prepared(locked, { field: 'Signature' })).rejects.toMatchObject({ code: 'DOCUMENT_LOCKED' });
});

test('a signature in a field with a lock dictionary locks those fields and the document', async () => {
  const bodies = [...formBodies('/Lock 8 0 R'), '<</Type/SigFieldLock/Action/Include/Fields[(Name)]/P 1>>'];
  const pdf = await signed(classicPdf(bodies), key, { field: 'Signature' });
  expect(readPdf(pdf).locks).toEqual([{ by: 'Signature', action: 'Include', fields: ['Name'] }]);
  await expect(prepared(pdf)).rejects.toMatchObject({ code: 'DOCUMENT_LOCKED' });
});
