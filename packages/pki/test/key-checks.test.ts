import { X509Certificate } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { cpuMsSince } from '@scriptorium/testing/cpu-time';
import { type Leaf, Openssl, TestAuthority } from '@scriptorium/testing/openssl-authority';
import { refusalOf } from '@scriptorium/testing/refusal';
import { DerError } from '../src/asn1/der-reader.ts';
import { checkValidity } from '../src/keys/check-signer.ts';
import { readPem } from '../src/keys/pem.ts';
import { privateKeySigner } from '../src/keys/private-key-signer.ts';
import type { RawSigner } from '../src/keys/raw-signer.ts';
import { readCertificate } from '../src/x509/certificate.ts';
import { signsDocuments } from './judge.ts';

const openssl = new Openssl();
const authority = new TestAuthority(openssl);
afterAll(() => openssl.remove());

async function open(privateKey: string, certificates: string, password?: string): Promise<RawSigner> {
  const signer = privateKeySigner(await readPem({ privateKey, certificates, password }), { now: new Date() });
  checkValidity(signer, new Date());
  return signer;
}

const issued = (leaf: Leaf): { key: string; chain: string } => {
  authority.issue('leaf', leaf);
  return { key: authority.text('leaf.key'), chain: authority.chain('leaf') };
};

describe('a certificate or key', () => {
  test.each<[string, Leaf, string]>([
    [
      'that expired',
      { kind: 'p256', validity: ['20200101000000Z', '20210101000000Z'] },
      'The certificate expired at 2021-01-01T00:00:00.000Z.',
    ],
    [
      'that is not valid yet',
      { kind: 'p256', validity: ['20770101000000Z', '20780101000000Z'] },
      'The certificate is not valid before 2077-01-01T00:00:00.000Z.',
    ],
    [
      'of RSA with 1024 bits',
      { kind: 'weakRsa' },
      'The RSA key is too weak: it has 1024 bits, and the minimum is 2048.',
    ],
    [
      'on an unsupported curve',
      { kind: 'secp256k1' },
      'The curve of the key is not supported; use P-256, P-384 or P-521.',
    ],
    ['of Ed25519', { kind: 'ed25519' }, 'The key type is not supported for signing; use RSA or ECDSA.'],
    [
      'signed with SHA-1',
      { kind: 'p256', digest: '-sha1' },
      'The certificate is too weak: it is signed with SHA-1 or MD5.',
    ],
    [
      'signed with SHA-1 by RSA',
      { kind: 'p256', digest: '-sha1', issuer: 'rsaCa' },
      'The certificate is too weak: it is signed with SHA-1 or MD5.',
    ],
    [
      'signed with MD5',
      { kind: 'p256', digest: '-md5', issuer: 'rsaCa' },
      'The certificate is too weak: it is signed with SHA-1 or MD5.',
    ],
    [
      'whose key must not sign',
      { kind: 'rsa', keyUsage: 'keyEncipherment' },
      'The key usage of the certificate does not permit signing: it has neither digitalSignature nor nonRepudiation.',
    ],
    [
      'with an invalid key usage',
      { kind: 'p256', keyUsage: 'DER:78:78:78' },
      'A certificate of the key is not valid DER (RFC 5280).',
    ],
    [
      'bound to SHA-1',
      { kind: 'sha1Pss' },
      'The RSA-PSS key is bound to sha1, which is not supported; use sha256, sha384 or sha512.',
    ],
  ])('%s is rejected with the reason', async (_, leaf, reason) => {
    const { key, chain } = issued(leaf);
    expect(await refusalOf(() => open(key, chain))).toBe(`SIGNING_KEY_INVALID: ${reason}`);
  });

  test.each(['20789999', '20780230', '2078010 '])('with the expiry date %p is rejected', async (date) => {
    const { key } = issued({ kind: 'p256', validity: ['20200101000000Z', '20780101000000Z'] });
    const { raw } = new X509Certificate(authority.text('leaf.crt'));
    raw.write(date, raw.indexOf('20780101'));
    expect(() => readCertificate(raw)).toThrow(DerError);
    expect(await refusalOf(() => open(key, new X509Certificate(raw).toString()))).toBe(
      'SIGNING_KEY_INVALID: A certificate of the key is not valid DER (RFC 5280).',
    );
  });

  test('that cannot sign is rejected at once, also with many copies of its key', async () => {
    const { key, chain } = issued({ kind: 'rsa', keyUsage: 'keyEncipherment' });
    const { privateKeys, certificates } = await readPem({ privateKey: key, certificates: chain });
    const material = {
      privateKeys: Array.from({ length: 5_000 }, () => privateKeys).flat(),
      certificates: Array.from({ length: 30 }, () => certificates).flat(),
    };
    const startedAt = process.cpuUsage();
    expect(await refusalOf(() => privateKeySigner(material, { now: new Date() }))).toMatch(/does not permit/);
    expect(cpuMsSince(startedAt)).toBeLessThan(10_000);
  });

  beforeAll(() => {
    openssl.run(
      ...['req', '-x509', '-newkey', 'rsa:2048', '-nodes', '-keyout', 'rsaCa.key', '-out', 'rsaCa.crt'],
      ...['-subj', '/CN=RSA authority', '-days', '5'],
    );
  });

  test('signed by RSA-PSS is rejected with SHA-1, its default, and accepted with SHA-256', async () => {
    for (const [digest, isTaken] of [
      ['-sha1', false],
      ['-sha256', true],
    ] as const) {
      openssl.run('genpkey', '-algorithm', 'EC', '-pkeyopt', 'ec_paramgen_curve:P-256', '-out', 'leaf.key');
      openssl.run('req', '-new', '-key', 'leaf.key', '-subj', '/CN=leaf', '-out', 'leaf.csr');
      openssl.run(
        ...[
          'x509',
          '-req',
          '-in',
          'leaf.csr',
          '-CA',
          'rsaCa.crt',
          '-CAkey',
          'rsaCa.key',
          digest,
          '-days',
          '5',
        ],
        ...['-sigopt', 'rsa_padding_mode:pss', '-set_serial', '8', '-out', 'leaf.crt'],
      );
      const refusal = await refusalOf(() => open(authority.text('leaf.key'), authority.text('leaf.crt')));
      expect(refusal).toBe(
        isTaken
          ? 'not refused'
          : 'SIGNING_KEY_INVALID: The certificate is too weak: it is signed with SHA-1 or MD5.',
      );
    }
  });

  test('below an authority certificate signed with SHA-1 is rejected, except for a root', async () => {
    openssl.run(
      ...[
        'x509',
        '-req',
        '-in',
        'ca.csr',
        '-CA',
        'root.crt',
        '-CAkey',
        'root.key',
        '-set_serial',
        '3',
        '-sha1',
      ],
      ...['-days', '30', '-extfile', 'authority.ext', '-out', 'sha1Ca.crt'],
    );
    openssl.write('sha1Ca.key', openssl.read('ca.key'));
    authority.issue('below', { kind: 'p256', issuer: 'sha1Ca' });
    const chain = ['below.crt', 'sha1Ca.crt', 'root.crt'].map((name) => authority.text(name)).join('');
    expect(await refusalOf(() => open(authority.text('below.key'), chain))).toBe(
      'SIGNING_KEY_INVALID: An issuer certificate is too weak: it is signed with SHA-1 or MD5.',
    );
    openssl.run(
      ...['req', '-x509', '-key', 'root.key', '-subj', '/O=Tests/CN=Test root', '-days', '30', '-sha1'],
      ...['-out', 'sha1Root.crt'],
    );
    authority.issue('fine', { kind: 'p256' });
    const underSha1Root = ['fine.crt', 'ca.crt', 'sha1Root.crt'].map((name) => authority.text(name)).join('');
    expect((await open(authority.text('fine.key'), underSha1Root)).certificates).toHaveLength(3);
  });

  test.each(['digitalSignature', 'nonRepudiation', 'digitalSignature,keyEncipherment'])(
    'with the key usage %s can sign',
    async (keyUsage) => {
      const { key, chain } = issued({ kind: 'p256', keyUsage });
      expect(await signsDocuments(await open(key, chain), openssl)).toBe(true);
    },
  );

  test('is rejected if they do not match', async () => {
    authority.issue('mine', { kind: 'p256' });
    authority.issue('yours', { kind: 'p256' });
    expect(await refusalOf(() => open(authority.text('mine.key'), authority.chain('yours')))).toBe(
      'SIGNING_KEY_INVALID: The certificate does not match the private key.',
    );
  });
});
