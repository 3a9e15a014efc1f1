import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { testInWhole } from '@scriptorium/testing/extent';
import { docxWith } from '@scriptorium/testing/fixtures/docx';
import { classicPdf, streamBody } from '@scriptorium/testing/fixtures/pdf/build';
import { formPdf, heavyPdf, onePage, packedPdf, plainPdf } from '@scriptorium/testing/fixtures/pdf/documents';
import { encryptedBy } from '@scriptorium/testing/fixtures/pdf/programs';
import { mutoolVerdicts, pdfsig, qpdfComplaints } from '@scriptorium/testing/judges/pdf';
import { pdfboxSignatures } from '@scriptorium/testing/judges/pdfbox';
import { officePdf } from '@scriptorium/testing/office';
import { type OpensslKey, opensslKey } from '@scriptorium/testing/openssl-signing';
import { earlierSignatures } from '../src/pades/earlier-signatures.ts';
import { readPdf } from '../src/pades/read-pdf.ts';
import { completePdf, type PdfSigning, preparePdf, signPdf } from '../src/pades/sign-pdf.ts';
import { cmsOfDigest } from './cms-of-digest.ts';
import { RESERVE, SIGNING_TIME, signed } from './signing.ts';

let key: OpensslKey;
beforeAll(async () => {
  key = await opensslKey('Ada');
});
afterAll(() => key.remove());

const SIGNING: PdfSigning = { reserve: RESERVE, signingTime: SIGNING_TIME, allowBrokenSignatures: false };
const maker = () => ({ hash: 'sha256' as const, cms: (digest: Buffer) => cmsOfDigest(digest, key) });
const VALID = [{ field: 'Signature1', validation: 'Signature is Valid.', coversAll: true }];

test('a document is signed by a signer that receives only its digest', async () => {
  const { bytes, byteRange, fieldName } = await signPdf(packedPdf(), SIGNING, maker());
  expect(fieldName).toBe('Signature1');
  expect(byteRange[2] + byteRange[3]).toBe(bytes.length);
  expect(await pdfsig(bytes)).toEqual(VALID);
});

testInWhole('a document made by LibreOffice is signed twice, and both signatures are valid', async () => {
  const original = await officePdf(docxWith(['Agreement']));
  const once = await signPdf(original, SIGNING, maker());
  const appearance = { page: 1, rectangle: { x: 50, y: 50, width: 150, height: 40 }, text: 'Signed by Ada' };
  const { bytes } = await signPdf(once.bytes, { ...SIGNING, appearance }, maker());
  expect(bytes.subarray(0, original.length).equals(original)).toBe(true);
  expect((await pdfsig(bytes)).map(({ validation }) => validation)).toEqual(
    Array(2).fill(VALID[0]?.validation),
  );
  expect(await qpdfComplaints(bytes)).toEqual([]);
  expect((await mutoolVerdicts(bytes)).at(-1)).toBe('The document is unchanged since signing.');
  const [signatures] = await pdfboxSignatures([bytes]);
  expect(signatures?.map(({ problem }) => problem)).toEqual([null, null]);
});

test('a document is prepared, sent to the caller, and completed with its signature', async () => {
  const { bytes: sent } = await preparePdf(formPdf(), { ...SIGNING, field: 'Signature' });
  const back = Buffer.from(sent);
  const { bytes, fieldName } = await completePdf(back, maker());
  expect(fieldName).toBe('Signature');
  expect(await pdfsig(bytes)).toEqual([{ ...VALID[0], field: 'Signature' }]);
  // Otherwise the external signature would cover other bytes.
  expect(bytes.length).toBe(sent.length);
  expect(back.equals(sent)).toBe(true);
});

test('an encrypted document is prepared and completed with its password, which both steps need', async () => {
  const encrypted = await encryptedBy(formPdf(), { user: 'Geheim' });
  const { bytes: sent } = await preparePdf(encrypted, { ...SIGNING, password: 'Geheim' });
  const { bytes } = await completePdf(sent, maker(), 'Geheim');
  expect(await pdfsig(bytes, 'Geheim')).toEqual(VALID);
  await expect(completePdf(sent, maker())).rejects.toMatchObject({ code: 'PASSWORD_REQUIRED' });
});

test.each([
  ['was never prepared', async () => plainPdf()],
  ['is already signed', () => signed(plainPdf(), key)],
  [
    'was changed after preparation',
    async () => Buffer.concat([(await preparePdf(plainPdf(), SIGNING)).bytes, Buffer.from('% more\n')]),
  ],
])('a document that %s cannot be completed', async (_, make) => {
  await expect(completePdf(await make(), maker())).rejects.toMatchObject({ code: 'UNPROCESSABLE' });
});

test('a document with a broken signature is signed only if allowed', async () => {
  const broken = await signed(plainPdf(), key);
  broken.write('Agreemint', broken.indexOf('Agreement'), 'latin1');
  await expect(signPdf(broken, SIGNING, maker())).rejects.toMatchObject({
    code: 'UNPROCESSABLE',
    message: expect.stringContaining('`Signature1`'),
  });
  const { bytes } = await signPdf(broken, { ...SIGNING, allowBrokenSignatures: true }, maker());
  expect(earlierSignatures(readPdf(bytes)).map(({ verdict }) => verdict)).toEqual([
    'digestMismatch',
    'holds',
  ]);
});

test('a signature that does not fit into its gap throws an internal error with the sizes', async () => {
  const signing = signPdf(plainPdf(), { ...SIGNING, reserve: 100 }, maker());
  await expect(signing).rejects.toThrow(/a CMS of \d+ bytes does not fit into 100/);
});

const PLANTED = '/ByteRange [0 /********** /********** /**********] /Contents <00>';

test.each([
  ['small', () => plainPdf()],
  [
    'small and contains a fake placeholder',
    () => classicPdf(onePage('', '', [streamBody('', Buffer.from(PLANTED))])),
  ],
  ['large', () => heavyPdf(3_000_000)],
])('a document that is %s keeps its bytes and has a valid signature', async (_, make) => {
  const original = make();
  const { bytes, byteRange } = await signPdf(original, SIGNING, maker());
  expect(bytes.subarray(0, original.length).equals(original)).toBe(true);
  expect(byteRange[2] + byteRange[3]).toBe(bytes.length);
  expect(await pdfsig(bytes)).toEqual(VALID);
  expect(await qpdfComplaints(bytes)).toEqual([]);
});
