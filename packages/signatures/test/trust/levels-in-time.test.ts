import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { readCertificate } from '@scriptorium/pki/certificates';
import { privateKeySigner, readPem } from '@scriptorium/pki/keys';
import { collectValidationData } from '@scriptorium/pki/revocation';
import { createTimestamper } from '@scriptorium/pki/timestamps';
import { plainPdf } from '@scriptorium/testing/fixtures/pdf/documents';
import { ia5String, implicit, sequence } from '@scriptorium/testing/pki/der';
import { fetcherTo, never } from '@scriptorium/testing/pki/fetching';
import type { Identity } from '@scriptorium/testing/pki/identity';
import { extension } from '@scriptorium/testing/pki/issue-certificate';
import { createPki, type Pki } from '@scriptorium/testing/pki/pki';
import type { SignatureLevel } from '../../src/levels.ts';
import { sign } from '../../src/signing/sign.ts';
import type { SignTools } from '../../src/signing/sign-tools.ts';
import { verify } from '../../src/verification/verify-document.ts';
import type { Verification } from '../../src/verify-report.ts';
import { letter } from '../docx/documents.ts';
import { read } from './paths.ts';
import { inDays } from './trials.ts';

let pki: Pki;
/** Her certificate expires in ten days; that of the time-stamping authority in a year. */
let ada: Identity;
beforeAll(async () => {
  pki = await createPki();
  ada = await pki.issue({ name: 'Ada Lovelace', notAfter: inDays(10) });
});
afterAll(() => pki.close());

async function toolsOf(identity: Identity): Promise<SignTools> {
  const material = await readPem({ privateKey: identity.keyPem(), certificates: identity.chainPem });
  const signer = privateKeySigner(material, { now: new Date() });
  const fetcher = fetcherTo(pki);
  return {
    version: '1.2.3',
    newAuditId: () => 'aud_abcdefghijklmnopqrstuvwxyz',
    now: () => new Date(),
    openKey: async () => signer,
    timestamper: () => createTimestamper({ url: pki.tsaUrl, hash: 'sha256' }, fetcher),
    validationData: (certificates) => collectValidationData(certificates, fetcher, never()),
  };
}

async function signed(source: Buffer, level: SignatureLevel, identity = ada): Promise<Buffer> {
  const key = { kind: 'profile' as const, profile: 'service', apiKey: 'key_ada' };
  const signing = { key, level, hasAuditPages: false, allowBrokenSignatures: false };
  const request = { source, images: Buffer.alloc(0), callerKey: undefined, signing };
  return (await sign(request, await toolsOf(identity))).bytes;
}

/** Verifies a document after so many days. */
async function judged(source: Buffer, days: number, { trust, ...change }: Partial<Verification> = {}) {
  const verification: Verification = {
    trust: trust ?? { anchors: [pki.root.der.toString('base64')] },
    validationTime: inDays(days).toISOString(),
    revocation: 'embedded',
    ...change,
  };
  const reply = await verify(
    { source, verification },
    {
      now: () => new Date(),
      service: [read(ada, pki.intermediate, pki.root)],
      anchors: ({ anchors, profile }) =>
        profile === 'service'
          ? read(pki.root)
          : anchors.map((der) => readCertificate(Buffer.from(der, 'base64'))),
      fetcher: fetcherTo(pki),
    },
  );
  const [first] = reply.signatures;
  const codes = reply.signatures.map(({ reasons }) => reasons.map(({ code }) => code));
  return { ...reply, codes, first, level: first?.level, subIndication: first?.subIndication };
}

const KINDS: Record<string, () => Buffer> = {
  PDF: plainPdf,
  DOCX: () => letter(),
};

describe.each(Object.keys(KINDS))('a %s', (kind) => {
  const levels: SignatureLevel[] = kind === 'PDF' ? ['B-B', 'B-T', 'B-LT', 'B-LTA'] : ['B-B', 'B-T'];
  const made = new Map<SignatureLevel, Buffer>();
  const at = (level: SignatureLevel): Buffer => made.get(level) ?? Buffer.of();
  beforeAll(async () => {
    const source = KINDS[kind]?.() ?? Buffer.of();
    for (const level of levels) made.set(level, await signed(source, level));
  });

  test.each(levels)('signed at %s is valid today, with its proven time', async (level) => {
    const { verdict, valid, first, level: found } = await judged(at(level), 0);
    expect({ verdict, valid, found }).toEqual({ verdict: 'valid', valid: true, found: level });
    expect(first?.checks).toMatchObject({ chain: 'passed', revocation: 'passed' });
    expect(first?.provenTime !== undefined).toBe(level !== 'B-B');
  });

  test.each(levels)('signed at %s, when the certificate has expired', async (level) => {
    const { verdict, valid, codes, subIndication } = await judged(at(level), 100);
    if (level === 'B-B') {
      expect({ verdict, valid, subIndication }).toEqual({
        verdict: 'indeterminate',
        valid: false,
        subIndication: 'OUT_OF_BOUNDS_NO_POE',
      });
      expect(codes[0]).toContain('CERTIFICATE_EXPIRED');
    } else
      expect({ verdict, codes: codes[0]?.includes('CERTIFICATE_EXPIRED') }).toEqual({
        verdict: 'valid',
        codes: false,
      });
  });

  test.each(levels)(
    'signed at %s is unproven years later, when the time-stamp certificates have expired too',
    async (level) => {
      const { verdict, codes } = await judged(at(level), 3 * 365);
      expect(verdict).toBe('indeterminate');
      expect(codes.flat()).toContain('CERTIFICATE_EXPIRED');
      if (level !== 'B-B') expect(codes.flat()).toContain('TIMESTAMP_UNTRUSTED');
    },
  );

  test.each(levels)('signed at %s is untrusted without trust anchors', async (level) => {
    const { verdict, subIndication } = await judged(at(level), 0, { trust: { anchors: [] } });
    expect({ verdict, subIndication }).toEqual({
      verdict: 'valid_untrusted',
      subIndication: 'NO_CERTIFICATE_CHAIN_FOUND',
    });
  });

  test.each(levels)('signed at %s by the service’s own key is valid with its own anchors', async (level) => {
    const { verdict, valid } = await judged(at(level), 0, { trust: { anchors: [], profile: 'service' } });
    expect({ verdict, valid }).toEqual({ verdict: 'valid', valid: true });
  });

  test('whose signer was revoked later is valid with a proving time-stamp, and doubtful without', async () => {
    const lost = await pki.issue({ name: 'Charles Babbage' });
    const source = KINDS[kind]?.() ?? Buffer.of();
    const [plain, stamped] = [await signed(source, 'B-B', lost), await signed(source, 'B-T', lost)];
    // In the same second as the time-stamp it would count as before.
    pki.revoke(lost, { at: new Date(Date.now() + 2_000), reason: 4 });
    expect(await judged(plain, 1, { revocation: 'online' })).toMatchObject({
      verdict: 'indeterminate',
      subIndication: 'REVOKED_NO_POE',
    });
    const { verdict, codes } = await judged(stamped, 0, { revocation: 'online' });
    expect({ verdict, codes }).toEqual({
      verdict: 'valid',
      codes: [expect.arrayContaining(['REVOKED_LATER'])],
    });
  });

  test('whose signer was revoked before the time-stamp is invalid', async () => {
    const lost = await pki.issue({ name: 'Charles Babbage' });
    const stamped = await signed(KINDS[kind]?.() ?? Buffer.of(), 'B-T', lost);
    pki.revoke(lost);
    expect(await judged(stamped, 0, { revocation: 'online' })).toMatchObject({
      verdict: 'invalid',
      subIndication: 'REVOKED',
      first: { checks: { revocation: 'failed', chain: 'passed' } },
    });
  });
});

test('a PDF at B-LT proves offline that no certificate was revoked, and at B-T does not', async () => {
  const [known, unknown] = await Promise.all(
    (['B-LT', 'B-T'] as const).map(async (level) => judged(await signed(plainPdf(), level), 5)),
  );
  expect(known?.first?.reasons.filter(({ message }) => message.includes('Ada'))).toEqual([]);
  expect(unknown?.codes[0]).toContain('REVOCATION_UNKNOWN');
});

test('a signer whose certificate has no subject can sign and be verified', async () => {
  const names = sequence(implicit(1, ia5String('ada@example.com')));
  const nameless = await pki.issue({ name: '', otherExtensions: [extension('2.5.29.17', names, true)] });
  const { verdict, signer } = await judged(await signed(plainPdf(), 'B-B', nameless), 0);
  expect({ verdict, signer }).toMatchObject({
    verdict: 'valid',
    signer: { commonName: 'email:ada@example.com', subject: '' },
  });
});

test('a trusted signer stays trusted with an unknown time-stamping authority, with a warning', async () => {
  const other = await createPki();
  try {
    const own = { url: other.tsaUrl, hash: 'sha256' } as const;
    const tools = await toolsOf(ada);
    const signing = {
      key: { kind: 'profile' as const, profile: 'service', apiKey: 'key_ada' },
      level: 'B-T' as const,
      hasAuditPages: false,
      allowBrokenSignatures: false,
    };
    const { bytes } = await sign(
      { source: plainPdf(), images: Buffer.alloc(0), callerKey: undefined, signing },
      { ...tools, timestamper: () => createTimestamper(own, fetcherTo(other)) },
    );
    const { verdict, codes, first } = await judged(bytes, 0);
    expect({ verdict, proven: first?.provenTime }).toEqual({ verdict: 'valid', proven: undefined });
    expect(codes[0]).toContain('TIMESTAMP_UNTRUSTED');
  } finally {
    await other.close();
  }
});
