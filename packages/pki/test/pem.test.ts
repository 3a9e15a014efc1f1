import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { testInWhole } from '@scriptorium/testing/extent';
import { Openssl, TestAuthority } from '@scriptorium/testing/openssl-authority';
import { refusalOf } from '@scriptorium/testing/refusal';
import { integer, octetString, oid, sequence } from '../src/asn1/der.ts';
import { readDer, readSequence } from '../src/asn1/der-reader.ts';
import { readPem } from '../src/keys/pem.ts';
import { privateKeySigner } from '../src/keys/private-key-signer.ts';
import type { RawSigner } from '../src/keys/raw-signer.ts';
import { signsDocuments } from './judge.ts';

const openssl = new Openssl();
const authority = new TestAuthority(openssl);
afterAll(() => openssl.remove());

async function open(privateKey: string, certificates: string, password?: string): Promise<RawSigner> {
  return privateKeySigner(await readPem({ privateKey, certificates, password }), { now: new Date() });
}

beforeAll(() => {
  for (const kind of ['rsa', 'p256'] as const) authority.issue(kind, { kind });
});
const key = (...args: string[]): string => openssl.run(...args).toString();

/** In PKCS #8 (RFC 5208), with random numbers of 8,192 bits. */
function dsaKey(): string {
  const large = integer(Buffer.alloc(1_024, 0x7f));
  const parameters = sequence(large, integer(Buffer.alloc(32, 0x7f)), large);
  const info = sequence(
    integer(0),
    sequence(oid('1.2.840.10040.4.1'), parameters),
    octetString(large),
  ).toString('base64');
  return `-----BEGIN PRIVATE KEY-----\n${info}\n-----END PRIVATE KEY-----`;
}

test.each<[string, 'rsa' | 'p256', () => string]>([
  ['PKCS #1', 'rsa', () => key('rsa', '-in', 'rsa.key', '-traditional')],
  [
    'SEC 1 with its curve before it',
    'p256',
    () => key('ecparam', '-name', 'P-256') + key('ec', '-in', 'p256.key'),
  ],
  [
    'Windows line ends and text around',
    'p256',
    () => `Bag Attributes\r\n${authority.text('p256.key').replaceAll('\n', '\r\n')}tail`,
  ],
])('a key in the form %s is read', async (_, name, text) => {
  expect(await signsDocuments(await open(text(), authority.chain(name)), openssl)).toBe(true);
});

test.each<[string, string[]]>([
  ['current PKCS #8', ['pkcs8', '-topk8', '-in', 'p256.key', '-passout', 'pass:secret']],
  [
    'PKCS #8 with AES-128 and SHA-512',
    [
      'pkcs8',
      '-topk8',
      '-in',
      'p256.key',
      '-v2',
      'aes-128-cbc',
      '-v2prf',
      'hmacWithSHA512',
      '-passout',
      'pass:secret',
    ],
  ],
  [
    'PKCS #8 with Triple DES as in PKCS #12',
    ['pkcs8', '-topk8', '-in', 'p256.key', '-v1', 'PBE-SHA1-3DES', '-passout', 'pass:secret'],
  ],
  ['the traditional OpenSSL form', ['ec', '-in', 'p256.key', '-aes256', '-passout', 'pass:secret']],
])('a key encrypted in %s requires its password', async (_, args) => {
  const text = key(...args);
  expect(text).toContain('ENCRYPTED');
  const chain = authority.chain('p256');
  expect(await signsDocuments(await open(text, chain, 'secret'), openssl)).toBe(true);
  expect(await refusalOf(() => open(text, chain, 'wrong'))).toBe(
    'SIGNING_KEY_INVALID: The password of the private key is wrong.',
  );
  for (const none of [undefined, ''])
    expect(await refusalOf(() => open(text, chain, none))).toBe(
      'SIGNING_KEY_INVALID: The private key is encrypted, and its password is missing.',
    );
});

test('an unnecessary password is ignored', async () => {
  expect((await open(authority.text('p256.key'), authority.chain('p256'), 'needless')).algorithm).toBe(
    'ecdsa',
  );
});

test('certificates in any order become a chain', async () => {
  const shuffled = ['root.crt', 'rsa.crt', 'p256.crt', 'ca.crt'].map((name) => authority.text(name)).join('');
  const { certificates } = await open(authority.text('p256.key'), shuffled);
  expect(certificates.map(({ subject }) => subject.split('CN=')[1])).toEqual([
    'p256',
    'Test authority',
    'Test root',
  ]);
});

test.each<[string, () => [string, string, string?], string]>([
  ['no key', () => ['nothing', authority.chain('p256')], 'The private key text contains no PEM private key.'],
  [
    'a certificate for a key',
    () => [authority.text('p256.crt'), authority.chain('p256')],
    'The private key text contains no PEM private key.',
  ],
  [
    'two keys',
    () => [authority.text('p256.key') + authority.text('rsa.key'), authority.chain('p256')],
    'The private key text contains several private keys.',
  ],
  [
    'a key that is cut off',
    () => [authority.text('p256.key').slice(0, 60), authority.chain('p256')],
    'The private key text contains no PEM private key.',
  ],
  [
    'a key of noise',
    () => ['-----BEGIN PRIVATE KEY-----\nbm9pc2U=\n-----END PRIVATE KEY-----', authority.chain('p256')],
    'The private key is damaged or of an unsupported type.',
  ],
  [
    'a DSA key, whose reading may take hours,',
    () => [dsaKey(), authority.chain('p256')],
    'The key type is not supported for signing; use RSA or ECDSA.',
  ],
  [
    'an old DSA key',
    () => [
      '-----BEGIN DSA PRIVATE KEY-----\nbm9pc2U=\n-----END DSA PRIVATE KEY-----',
      authority.chain('p256'),
    ],
    'The key type is not supported for signing; use RSA or ECDSA.',
  ],
  [
    'an old key of noise',
    () => ['-----BEGIN EC PRIVATE KEY-----\nbm9pc2U=\n-----END EC PRIVATE KEY-----', authority.chain('p256')],
    'The private key is damaged.',
  ],
  [
    'an encrypted key of noise',
    () => [
      '-----BEGIN ENCRYPTED PRIVATE KEY-----\nbm9pc2U=\n-----END ENCRYPTED PRIVATE KEY-----',
      authority.chain('p256'),
      'x',
    ],
    'The encrypted private key is damaged.',
  ],
  [
    "a key in OpenSSH's format",
    () => [
      '-----BEGIN OPENSSH PRIVATE KEY-----\nbm9pc2U=\n-----END OPENSSH PRIVATE KEY-----',
      authority.chain('p256'),
    ],
    'The private key is in the OpenSSH format; use PKCS #8.',
  ],
  [
    'no certificate',
    () => [authority.text('p256.key'), 'nothing'],
    'The certificate text contains no PEM certificate.',
  ],
  [
    'a certificate of noise',
    () => [
      authority.text('p256.key'),
      `${authority.text('p256.crt')}-----BEGIN CERTIFICATE-----\nbm9pc2U=\n-----END CERTIFICATE-----`,
    ],
    'Certificate 2 of the key cannot be read.',
  ],
  [
    'too many certificates',
    () => [authority.text('p256.key'), authority.text('p256.crt').repeat(65)],
    'There are more than 64 certificates with the key.',
  ],
  [
    'a text that is too long',
    () => [authority.text('p256.key'), 'x'.repeat(1_048_577)],
    'The certificate text is longer than 1048576 characters.',
  ],
])('%s is rejected with the reason', async (_, given, reason) => {
  const [privateKey, certificates, password] = given();
  expect(await refusalOf(() => open(privateKey, certificates, password))).toBe(
    `SIGNING_KEY_INVALID: ${reason}`,
  );
});

testInWhole('too many iterations and unsupported ciphers are rejected', async () => {
  const slow = key('pkcs8', '-topk8', '-in', 'p256.key', '-iter', '5000001', '-passout', 'pass:secret');
  expect(await refusalOf(() => open(slow, authority.chain('p256'), 'secret'))).toMatch(
    /specifies 5000001 password iterations/,
  );
  const scrypt = key('pkcs8', '-topk8', '-in', 'p256.key', '-scrypt', '-passout', 'pass:secret');
  expect(await refusalOf(() => open(scrypt, authority.chain('p256'), 'secret'))).toMatch(
    /encrypted with scrypt, which is not supported/,
  );
});

test('a key with inconsistent parts is detected before its signature is returned', async () => {
  const der = openssl.run('rsa', '-in', 'rsa.key', '-traditional', '-outform', 'DER');
  // The private exponent and the CRT coefficient (RFC 8017, A.1.2): OpenSSL could still use a key with only one changed.
  const numbers = readSequence(readDer(der));
  for (const index of [3, 8]) numbers[index]?.content.fill(0x11, 100);
  const lines = der.toString('base64').replace(/(.{64})/g, '$1\n');
  const bad = `-----BEGIN RSA PRIVATE KEY-----\n${lines}\n-----END RSA PRIVATE KEY-----\n`;
  expect(
    await refusalOf(async () => (await open(bad, authority.chain('rsa'))).sign(Buffer.from('x'))),
  ).toMatch(/^SIGNING_KEY_INVALID: The private key is damaged/);
});
