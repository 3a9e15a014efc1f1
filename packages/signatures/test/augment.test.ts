import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { readCertificate } from '@scriptorium/pki/certificates';
import { collectValidationData } from '@scriptorium/pki/revocation';
import { createTimestamper } from '@scriptorium/pki/timestamps';
import { plainPdf } from '@scriptorium/testing/fixtures/pdf/documents';
import { zip } from '@scriptorium/testing/fixtures/zip';
import { pdfsig, qpdfComplaints } from '@scriptorium/testing/judges/pdf';
import { pdfboxSignatures } from '@scriptorium/testing/judges/pdfbox';
import { opensslKey } from '@scriptorium/testing/openssl-signing';
import { never, withFault } from '@scriptorium/testing/pki/fetching';
import { failureOf } from '@scriptorium/testing/refusal';
import type { Augmentation } from '../src/augment-request.ts';
import { signDocx } from '../src/opc/sign-docx.ts';
import { augmentDocument } from '../src/signing/augment-document.ts';
import type { Augmented, AugmentTools } from '../src/signing/augment-tools.ts';
import { verify } from '../src/verification/verify-document.ts';
import type { VerifyReply } from '../src/verify-report.ts';
import { type Lab, openLab, signerOf } from './attacks/lab.ts';
import { letter } from './docx/documents.ts';
import { filesOf } from './docx/judges.ts';
import { signed as signedByOpenssl } from './signing.ts';

const DAY_MS = 86_400_000;
let lab: Lab;
let tools: AugmentTools;
let signed: Buffer;

beforeAll(async () => {
  lab = await openLab();
  tools = {
    now: () => new Date(),
    timestamper: () => createTimestamper({ url: lab.pki.tsaUrl, hash: 'sha256' }, lab.fetcher),
    validationData: (certificates) => collectValidationData(certificates, lab.fetcher, never()),
  };
  signed = await lab.sign(plainPdf());
});
afterAll(() => lab.close());

const augment = (source: Buffer, augmentation: Augmentation, more: Partial<AugmentTools> = {}) =>
  augmentDocument({ source, augmentation }, { ...tools, ...more });

function verified(source: Buffer): Promise<VerifyReply> {
  return verify(
    { source, verification: { trust: { anchors: [] }, revocation: 'embedded' } },
    {
      now: () => new Date(),
      service: [],
      anchors: () => lab.anchors.map(readCertificate),
      fetcher: lab.fetcher,
    },
  );
}

const levels = ({ reply: { signatures } }: Augmented) =>
  signatures.map(({ before, after }) => `${before} to ${after}`);

describe('a signature', () => {
  test.each(['B-T', 'B-LT', 'B-LTA'] as const)('is raised to %s, and stays valid', async (level) => {
    const augmented = await augment(signed, { level });
    expect(levels(augmented)).toEqual([`B-B to ${level}`]);
    expect(augmented.bytes.subarray(0, signed.length).equals(signed)).toBe(true);
    const { verdict, signatures } = await verified(augmented.bytes);
    const ofPeople = signatures.filter(({ type }) => type !== 'documentTimestamp');
    expect(ofPeople).toMatchObject([{ level, integrity: 'intact', time: 'proven' }]);
    expect(verdict).toBe('valid');
    expect((await pdfsig(augmented.bytes))[0]?.validation).toBe('Signature is Valid.');
    expect(await qpdfComplaints(augmented.bytes)).toEqual([]);
  });

  test('is valid for PDFBox and Bouncy Castle, and so are its time-stamps', async () => {
    const { bytes } = await augment(signed, { level: 'B-LTA' });
    const [judged = []] = await pdfboxSignatures([bytes]);
    expect(judged.map(({ subFilter, problem }) => [subFilter, problem])).toEqual([
      ['ETSI.CAdES.detached', null],
      ['ETSI.RFC3161', null],
      ['ETSI.RFC3161', null],
    ]);
  });

  test('rises a level at a time, and then gets a further time-stamp', async () => {
    let bytes = signed;
    const steps: string[] = [];
    for (let step = 0; step < 4; step++) {
      const augmented = await augment(bytes, { level: 'next' });
      steps.push(...levels(augmented));
      expect(augmented.bytes.subarray(0, bytes.length).equals(bytes)).toBe(true);
      bytes = augmented.bytes;
    }
    expect(steps).toEqual(['B-B to B-T', 'B-T to B-LT', 'B-LT to B-LTA', 'B-LTA to B-LTA']);
    const { verdict, signatures } = await verified(bytes);
    expect([verdict, signatures.length]).toEqual(['valid', 4]);
  });

  test('that has the level stays as it is', async () => {
    const { bytes } = await augment(signed, { level: 'B-LT' });
    for (const level of ['B-T', 'B-LT'] as const) {
      const again = await augment(bytes, { level });
      expect(again.bytes).toBe(bytes);
      expect(again.reply).toMatchObject({ isChanged: false, signatures: [{ after: 'B-LT' }] });
    }
  });

  test('gets a further time-stamp only as soon as the newest one expires within the days given', async () => {
    const { bytes, reply } = await augment(signed, { level: 'B-LTA' });
    const days = (Date.parse(reply.protectedUntil ?? '') - Date.now()) / DAY_MS;
    expect(days).toBeGreaterThan(1);
    const early = await augment(bytes, { level: 'B-LTA', renewBeforeDays: days - 1 });
    expect([early.bytes, early.reply.isChanged]).toEqual([bytes, false]);
    const late = await augment(bytes, { level: 'B-LTA', renewBeforeDays: days + 1 });
    expect(late.reply.isChanged).toBe(true);
    expect((await verified(late.bytes)).verdict).toBe('valid');
  });
});

test('both signatures of a document are raised, or the one that is named', async () => {
  const twice = await lab.sign(await lab.sign(plainPdf(), { field: 'Tenant' }), {
    by: lab.bob,
    field: 'Owner',
  });
  const all = await augment(twice, { level: 'B-LT' });
  expect(all.reply.signatures.map(({ fieldName, after }) => [fieldName, after])).toEqual([
    ['Tenant', 'B-LT'],
    ['Owner', 'B-LT'],
  ]);
  expect((await verified(all.bytes)).verdict).toBe('valid');
  const one = await augment(twice, { level: 'B-T', signatures: ['Owner'] });
  expect(one.reply.signatures).toEqual([{ fieldName: 'Owner', before: 'B-B', after: 'B-T' }]);
  const failure = await failureOf(augment(twice, { level: 'B-T', signatures: ['Owner', 'Guest'] }));
  expect(failure).toMatchObject({ code: 'VALIDATION_ERROR', details: [{ field: 'signatures[1]' }] });
});

test('a later signature does not have the validation data of an earlier one', async () => {
  const { bytes } = await augment(await lab.sign(plainPdf(), { field: 'Tenant' }), { level: 'B-LTA' });
  const twice = await lab.sign(bytes, { by: lab.bob, field: 'Owner', level: 'B-T' });
  const augmented = await augment(twice, { level: 'B-LT' });
  expect(levels(augmented)).toEqual(['B-LTA to B-LTA', 'B-T to B-LT']);
  expect((await verified(augmented.bytes)).verdict).toBe('valid');
});

test('a time-stamp that is older than the data does not make them last', async () => {
  const first = await lab.sign(plainPdf(), { field: 'Tenant', level: 'B-T' });
  const both = await lab.sign(first, { by: lab.bob, field: 'Owner' });
  const augmented = await augment(both, { level: 'B-LT' });
  expect(levels(augmented)).toEqual(['B-T to B-LT', 'B-B to B-LT']);
  const archived = await augment(augmented.bytes, { level: 'B-LTA', renewBeforeDays: 1 });
  expect(levels(archived)).toEqual(['B-LT to B-LTA', 'B-LT to B-LTA']);
});

test('a store of data without entries is for the signatures before it', async () => {
  const { bytes } = await augment(await lab.sign(plainPdf(), { field: 'Tenant' }), { level: 'B-LT' });
  bytes.write('/VRX', bytes.indexOf('/VRI'), 'latin1');
  const later = await lab.sign(bytes, { by: lab.bob, field: 'Owner', level: 'B-T' });
  const augmented = await augment(later, { level: 'next' });
  expect(levels(augmented)).toEqual(['B-LT to B-LT', 'B-T to B-LT']);
});

test('a signer who is revoked later, or whose authority is gone, does not prevent a renewal', async () => {
  const eve = await lab.pki.issue({ name: 'Eve' });
  const { bytes } = await augment(await lab.sign(plainPdf(), { by: eve }), { level: 'B-LTA' });
  lab.pki.revoke(eve);
  expect((await augment(bytes, { level: 'B-LTA' })).reply.isChanged).toBe(true);
});

test('a self-signed signer needs no answer of an authority', async () => {
  const pdf = await signedByOpenssl(plainPdf(), await opensslKey('Self'));
  const { bytes, reply } = await augment(pdf, { level: 'B-LTA' });
  expect(reply.signatures).toMatchObject([{ before: 'B-B', after: 'B-LTA' }]);
  expect((await augment(bytes, { level: 'B-LTA', renewBeforeDays: 1 })).reply.isChanged).toBe(false);
});

test('a document whose certification permits no change is raised, with a warning', async () => {
  const certified = await lab.sign(plainPdf(), { certify: 'noChanges' });
  const { bytes, reply } = await augment(certified, { level: 'B-LTA' });
  expect(reply.warnings.map(({ code }) => code)).toEqual(['READERS_MAY_REFUSE']);
  expect((await verified(bytes)).verdict).toBe('valid');
});

describe('is refused:', () => {
  test('a document without a signature, with a changed one, or of another kind', async () => {
    const changed = Buffer.from(signed);
    const inStream = changed.indexOf('stream') + 10;
    changed[inStream] = (changed[inStream] ?? 0) ^ 1;
    for (const [source, code, message] of [
      [plainPdf(), 'UNPROCESSABLE', 'not signed'],
      [changed, 'UNPROCESSABLE', 'not valid'],
      [Buffer.from('a letter'), 'INVALID_FILE_FORMAT', 'neither'],
    ] as const)
      expect(await failureOf(augment(source, { level: 'B-T' }))).toMatchObject({
        code,
        message: expect.stringContaining(message),
      });
  });

  test('a revoked signer: not the caller’s key is at fault', async () => {
    const eve = await lab.pki.issue({ name: 'Eve' });
    const pdf = await lab.sign(plainPdf(), { by: eve, field: 'Eve' });
    lab.pki.revoke(eve);
    const failure = await failureOf(augment(pdf, { level: 'B-LT' }));
    expect(failure).toMatchObject({
      code: 'UNPROCESSABLE',
      message: expect.stringMatching(/`Eve`.*revoked/),
    });
  });

  test('a signature whose certificate expired before a time-stamp proved anything', async () => {
    const inTenYears = () => new Date(Date.now() + 3_650 * DAY_MS);
    const failure = await failureOf(augment(signed, { level: 'B-T' }, { now: inTenYears }));
    expect(failure).toMatchObject({ code: 'UNPROCESSABLE', message: expect.stringContaining('expired') });
  });

  test('a level that authorities are needed for, if one is silent or none is configured', async () => {
    const none = await failureOf(augment(signed, { level: 'B-T' }, { timestamper: () => undefined }));
    expect(none).toMatchObject({ code: 'UNSUPPORTED_LEVEL' });
    await withFault(lab.pki, { tsa: 'down' }, async () =>
      expect(await failureOf(augment(signed, { level: 'B-T' }))).toMatchObject({
        code: 'TIMESTAMP_UNAVAILABLE',
      }),
    );
    await withFault(lab.pki, { ocsp: 'down', crl: 'down' }, async () =>
      expect(await failureOf(augment(signed, { level: 'B-LT' }))).toMatchObject({
        code: 'REVOCATION_UNAVAILABLE',
      }),
    );
  });
});

describe('a signed DOCX', () => {
  let docx: Buffer;
  beforeAll(async () => {
    const options = { signer: await signerOf(lab.ada), level: 'B-B', signingTime: new Date() } as const;
    docx = (await signDocx(await letter(), options)).bytes;
    docx = (await signDocx(docx, { ...options, signer: await signerOf(lab.bob) })).bytes;
  });

  test('gets a time-stamp for each signature, once', async () => {
    const augmented = await augment(docx, { level: 'B-T' });
    expect(levels(augmented)).toEqual(['B-B to B-T', 'B-B to B-T']);
    const { signatures } = await verified(augmented.bytes);
    expect(signatures).toMatchObject([
      { level: 'B-T', integrity: 'intact', time: 'proven' },
      { level: 'B-T', integrity: 'intact', time: 'proven' },
    ]);
    const again = await augment(augmented.bytes, { level: 'B-T' });
    expect([again.bytes, again.reply.isChanged]).toEqual([augmented.bytes, false]);
  });

  test('with something else in place of a time-stamp is refused', async () => {
    const files = await filesOf(docx);
    const name = [...files.keys()].find((each) => each.endsWith('sig1.xml')) ?? '';
    const bogus =
      '<xd:UnsignedProperties><xd:UnsignedSignatureProperties><xd:SignatureTimeStamp/></xd:UnsignedSignatureProperties></xd:UnsignedProperties>';
    const xml = String(files.get(name)).replace('</xd:QualifyingProperties>', (end) => bogus + end);
    files.set(name, Buffer.from(xml));
    const changed = zip([...files].map(([each, data]) => ({ name: each, data })));
    expect(await failureOf(augment(changed, { level: 'B-T' }))).toHaveProperty('code', 'UNPROCESSABLE');
  });

  test('is refused above B-T, and with a password', async () => {
    expect(await failureOf(augment(docx, { level: 'B-LT' }))).toMatchObject({ code: 'UNSUPPORTED_LEVEL' });
    const request = { source: docx, augmentation: { level: 'B-T' }, password: 'x' } as const;
    expect(await failureOf(augmentDocument(request, tools))).toMatchObject({
      code: 'VALIDATION_ERROR',
      details: [{ field: 'password' }],
    });
  });
});
