import { generateKeyPairSync, X509Certificate } from 'node:crypto';
import { expect, test } from '@jest/globals';
import { buildCertificate, privateKeySigner } from '@scriptorium/pki/keys';
import { formPdf, plainPdf } from '@scriptorium/testing/fixtures/pdf/documents';
import { pdfsig, qpdfComplaints } from '@scriptorium/testing/judges/pdf';
import { type ByDigest, type SignTools, sign, signPdfByDigest } from '../src/face/sign.ts';
import { digestReply, type Signing } from '../src/sign-request.ts';

const NOW = new Date('2026-05-01T12:00:00Z');
const keys = generateKeyPairSync('ec', { namedCurve: 'P-256' });
const names = { subject: 'ada', issuer: 'ada', organization: 'Example', isAuthority: false };
const times = { notBefore: NOW, notAfter: new Date('2027-05-01T12:00:00Z') };
const own = new X509Certificate(
  buildCertificate({ ...names, ...times, publicKey: keys.publicKey, issuerKey: keys }),
);
const signer = privateKeySigner({ privateKeys: [keys.privateKey], certificates: [own] }, { now: NOW });

const toolsAt = (now: Date): SignTools => ({
  version: '1.0',
  newAuditId: () => 'unused',
  now: () => now,
  openKey: async () => signer,
  timestamper: () => undefined,
  validationData: () => Promise.reject(new Error('no authority is asked')),
});

/** What `POST /v1/sign/digest` does. */
async function cmsOf(source: Buffer, change: Partial<Signing> = {}, now = NOW): Promise<Buffer> {
  const signing: Signing = {
    key: { kind: 'profile', profile: 'ada', apiKey: '' },
    level: 'B-B',
    digestHash: 'sha256',
    hasAuditPages: false,
    allowBrokenSignatures: false,
    ...change,
  };
  const request = { source, signing, images: Buffer.alloc(0), callerKey: undefined };
  const { bytes, contentType } = await sign(request, toolsAt(now));
  expect(contentType).toBe('application/json');
  return Buffer.from(digestReply.parse(JSON.parse(bytes.toString())).cms, 'base64');
}

const signed = (pdf: Buffer, options: ByDigest = {}, from = cmsOf) => signPdfByDigest(pdf, options, from);

test('a PDF is signed twice by its digest alone, also in an empty field, and other programs accept it', async () => {
  const sent: Buffer[] = [];
  const once = await signed(formPdf(), { field: 'Signature', reason: 'I agree' }, (digest) => {
    sent.push(digest);
    return cmsOf(digest);
  });
  const pdf = await signed(once, {});
  expect(sent.map(({ length }) => length)).toEqual([32]);
  expect(await pdfsig(pdf)).toMatchObject([
    { field: 'Signature', validation: 'Signature is Valid.' },
    { validation: 'Signature is Valid.', coversAll: true },
  ]);
  expect(await qpdfComplaints(pdf)).toEqual([]);
});

test.each<[string, ByDigest, (digest: Buffer) => Promise<Buffer>, RegExp]>([
  ['of another document', {}, () => cmsOf(Buffer.alloc(32)), /not a valid signature .* digestMismatch/],
  [
    'that was changed',
    {},
    async (digest) => {
      const cms = await cmsOf(digest);
      cms.writeUInt8(cms.readUInt8(cms.length - 1) ^ 1, cms.length - 1);
      return cms;
    },
    /not a valid signature .* signatureInvalid/,
  ],
  ['that is none', {}, async () => Buffer.from('no'), /not a valid signature .* malformed/],
  ['that is too long', { cmsBytesMax: 300 }, cmsOf, /more than the 300/],
])('a signature %s is not embedded', async (_what, options, from, message) => {
  await expect(signed(plainPdf(), options, (digest) => from(digest))).rejects.toMatchObject({
    code: 'UNPROCESSABLE',
    message: expect.stringMatching(message),
  });
});

test.each<[string, () => Promise<Buffer>, object]>([
  [
    'by another hash than that of the key',
    () => cmsOf(Buffer.alloc(64), { digestHash: 'sha512' }),
    { code: 'VALIDATION_ERROR', details: [{ field: 'hash', issue: expect.stringContaining('`sha256`') }] },
  ],
  [
    'with a time-stamp of no authority',
    () => cmsOf(Buffer.alloc(32), { level: 'B-T' }),
    { code: 'UNSUPPORTED_LEVEL' },
  ],
  [
    'with an expired certificate',
    () => cmsOf(Buffer.alloc(32), {}, new Date('2028-01-01T00:00:00Z')),
    { code: 'SIGNING_KEY_INVALID' },
  ],
])('a digest is not signed %s', async (_what, make, error) => {
  await expect(make()).rejects.toMatchObject(error);
});

test('a field takes only what its author permits', async () => {
  const seeds = '/SV<</Ff 66/SubFilter[/ETSI.CAdES.detached]/DigestMethod[/SHA384]/TimeStamp<</Ff 1>>>>';
  const text = formPdf().toString('latin1').replace('/FT/Sig', `/FT/Sig${seeds}`);
  const pdf = Buffer.from(text, 'latin1');
  await expect(signed(pdf, { field: 'Signature' })).rejects.toMatchObject({
    code: 'VALIDATION_ERROR',
    details: [{ field: 'key' }, { field: 'level' }],
  });
});
