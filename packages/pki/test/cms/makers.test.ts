import { generateKeyPairSync } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { testInWhole } from '@scriptorium/testing/extent';
import { openssl } from '@scriptorium/testing/openssl';
import type { Identity } from '@scriptorium/testing/pki/identity';
import { createPki, type Pki } from '@scriptorium/testing/pki/pki';
import { P12Signer } from '@signpdf/signer-p12';
import { readSignedCore } from '../../src/cms/signed-core.ts';
import { streamed } from '../streamed-ber.ts';

const PARTS = [Buffer.from('%PDF-1.7 the first part\n'), Buffer.from(' and the second part %%EOF\n')];
const CHANGED = [Buffer.from('%PDF-1.7 the fiRst part\n'), ...PARTS.slice(1)];

let pki: Pki;
/** node-forge reads only RSA certificates. */
let rsaPki: Pki;
beforeAll(async () => {
  pki = await createPki();
  rsaPki = await createPki({ authorityKeyType: 'rsa-2048' });
});
afterAll(() => Promise.all([pki.close(), rsaPki.close()]));

/** Makes a detached CMS over the parts with openssl and these options. */
async function opensslCms(identity: Identity, ...options: string[]): Promise<Buffer> {
  const files = {
    'content.bin': Buffer.concat(PARTS),
    'key.pem': identity.keyPem(),
    'own.pem': identity.pem,
    'issuers.pem': identity.issuer?.chainPem ?? '',
  };
  const given = ['-in', 'content.bin', '-signer', 'own.pem', '-inkey', 'key.pem', '-certfile', 'issuers.pem'];
  const made = await openssl(['cms', '-sign', '-binary', '-outform', 'DER', ...given, ...options], files);
  if (made.code !== 0) throw new Error(made.output);
  return made.stdout;
}

/** Key types that the test authorities do not create. */
const keyPairs = {
  secp256k1: () => generateKeyPairSync('ec', { namedCurve: 'secp256k1' }),
  brainpool: () => generateKeyPairSync('ec', { namedCurve: 'brainpoolP384r1' }),
  dsa: () => generateKeyPairSync('dsa', { modulusLength: 2048, divisorLength: 256 }),
};

const PSS = ['-keyopt', 'rsa_padding_mode:pss'];

interface Made {
  key: Parameters<Pki['issue']>[0]['keyType'] | keyof typeof keyPairs;
  options: string[];
  digest?: string;
  signature: string;
  /** Codes of the expected faults. */
  codes?: string[];
}

const ABSENT = 'SIGNING_CERTIFICATE_ABSENT';
const MADE: [string, Made][] = [
  ['CAdES', { key: 'p-256', options: ['-cades'], signature: 'ECDSA', codes: [] }],
  ['RSA', { key: 'rsa-2048', options: [], signature: 'RSA-PKCS1-v1_5' }],
  ['no capabilities', { key: 'rsa-2048', options: ['-nosmimecap'], signature: 'RSA-PKCS1-v1_5' }],
  ['a key identifier', { key: 'p-256', options: ['-keyid'], signature: 'ECDSA' }],
  ['no attributes', { key: 'rsa-2048', options: ['-noattr'], signature: 'RSA-PKCS1-v1_5' }],
  ['no attributes by ECDSA', { key: 'p-256', options: ['-noattr'], signature: 'ECDSA' }],
  ['RSA-PSS', { key: 'rsa-2048', options: PSS, signature: 'RSA-PSS' }],
  ['a key for RSA-PSS alone', { key: 'rsa-pss', options: PSS, signature: 'RSA-PSS' }],
  [
    'RSA-PSS with a salt of its own',
    { key: 'rsa-2048', options: [...PSS, '-keyopt', 'rsa_pss_saltlen:11'], signature: 'RSA-PSS' },
  ],
  [
    'RSA-PSS with another hash in the mask',
    { key: 'rsa-2048', options: [...PSS, '-keyopt', 'rsa_mgf1_md:sha1'], signature: 'RSA-PSS' },
  ],
  ['P-384', { key: 'p-384', options: ['-md', 'sha384'], digest: 'SHA-384', signature: 'ECDSA' }],
  ['P-521', { key: 'p-521', options: ['-md', 'sha512'], digest: 'SHA-512', signature: 'ECDSA' }],
  ['secp256k1', { key: 'secp256k1', options: [], signature: 'ECDSA' }],
  ['brainpoolP384r1', { key: 'brainpool', options: [], signature: 'ECDSA' }],
  [
    'SHA-224',
    { key: 'rsa-2048', options: ['-md', 'sha224'], digest: 'SHA-224', signature: 'RSA-PKCS1-v1_5' },
  ],
  [
    'SHA3-256',
    { key: 'rsa-2048', options: ['-md', 'sha3-256'], digest: 'SHA3-256', signature: 'RSA-PKCS1-v1_5' },
  ],
  [
    'SHA-1',
    {
      key: 'rsa-2048',
      options: ['-md', 'sha1'],
      digest: 'SHA-1',
      signature: 'RSA-PKCS1-v1_5',
      codes: [ABSENT, 'WEAK_ALGORITHM'],
    },
  ],
  [
    'MD5',
    {
      key: 'rsa-2048',
      options: ['-md', 'md5'],
      digest: 'MD5',
      signature: 'RSA-PKCS1-v1_5',
      codes: [ABSENT, 'WEAK_ALGORITHM'],
    },
  ],
  [
    'a short RSA key',
    { key: 'rsa-1024', options: [], signature: 'RSA-PKCS1-v1_5', codes: [ABSENT, 'WEAK_ALGORITHM'] },
  ],
  ['DSA', { key: 'dsa', options: [], signature: 'DSA', codes: [ABSENT, 'WEAK_ALGORITHM'] }],
];

function issue(key: Made['key']): Promise<Identity> {
  if (key !== undefined && key in keyPairs)
    return pki.issue({ name: 'Ada', keyPair: keyPairs[key as keyof typeof keyPairs]() });
  return pki.issue({ name: 'Ada', keyType: key as Parameters<Pki['issue']>[0]['keyType'] });
}

describe('a signature that openssl makes', () => {
  test.each(MADE)('with %s is valid for this document only', async (_, made) => {
    const { key, options, digest = 'SHA-256', signature, codes = [ABSENT] } = made;
    const identity = await issue(key);
    const cms = await opensslCms(identity, ...options);
    const { core, faults } = readSignedCore(cms, PARTS, 'detached', false);
    expect(core).toMatchObject({
      digestAlgorithm: digest,
      signatureAlgorithm: signature,
      digestHolds: true,
      signatureHolds: true,
    });
    expect(core?.signer?.der).toEqual(identity.der);
    expect(core?.certificates).toHaveLength(3);
    expect(faults.map(({ code }) => code)).toEqual(codes);
    const other = readSignedCore(cms, CHANGED, 'detached', false);
    expect(other.core?.digestHolds).toBe(false);
    const expected = options.includes('-noattr') ? 'SIGNATURE_INVALID' : 'DIGEST_MISMATCH';
    expect(other.faults.map(({ code }) => code)).toContain(expected);
  });

  test('is valid in DER and in streamed BER, also with zeros after it', async () => {
    const cms = await opensslCms(await issue('rsa-2048'), '-cades');
    for (const written of [cms, streamed(cms)])
      for (const room of [0, 1, 2, 3, 5_000])
        expect(
          readSignedCore(Buffer.concat([written, Buffer.alloc(room)]), PARTS, 'detached', true),
        ).toMatchObject({ core: { digestHolds: true, signatureHolds: true }, faults: [] });
  });

  test('is rejected if it contains the document itself', async () => {
    const cms = await opensslCms(await issue('p-256'), '-cades', '-nodetach');
    const { faults } = readSignedCore(cms, PARTS, 'detached', true);
    expect(faults.map(({ code }) => code)).toEqual(['CONTENT_ENCAPSULATED']);
  });

  test('is rejected without the certificate', async () => {
    const cms = await opensslCms(await issue('p-256'), '-cades', '-nocerts');
    const { core, faults } = readSignedCore(cms, PARTS, 'detached', true);
    expect(core).toMatchObject({ digestHolds: true, signatureHolds: false, signer: undefined });
    expect(faults.map(({ code }) => code)).toEqual(['SIGNER_CERTIFICATE_MISSING']);
  });

  test('states its signing time', async () => {
    const cms = await opensslCms(await issue('p-256'));
    const { claimedSigningTime } = readSignedCore(cms, PARTS, 'detached', false);
    expect(Math.abs(Date.now() - (claimedSigningTime?.getTime() ?? 0))).toBeLessThan(600_000);
  });
});

testInWhole('a signature made by node-forge is valid for this document only', async () => {
  const identity = await rsaPki.issue({ name: 'Ada', keyType: 'rsa-2048' });
  const p12 = await identity.p12('geheim', { isLegacy: true });
  const time = new Date('2026-03-04T05:06:07Z');
  const cms = await new P12Signer(p12, { passphrase: 'geheim' }).sign(Buffer.concat(PARTS), time);
  const { core, faults, claimedSigningTime } = readSignedCore(cms, PARTS, 'detached', false);
  expect(core).toMatchObject({
    digestHolds: true,
    signatureHolds: true,
    signatureAlgorithm: 'RSA-PKCS1-v1_5',
  });
  expect(core?.signer?.der).toEqual(identity.der);
  expect(faults.map(({ code }) => code)).toEqual([ABSENT]);
  expect(claimedSigningTime).toEqual(time);
  expect(readSignedCore(cms, CHANGED, 'detached', false).core?.digestHolds).toBe(false);
});
