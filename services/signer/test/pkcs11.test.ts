import { type ChildProcess, fork, spawnSync } from 'node:child_process';
import { X509Certificate } from 'node:crypto';
import { once } from 'node:events';
import { mkdirSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { HashAlgorithm, RawSigner, SignatureAlgorithm } from '../src/keys/raw-signer.ts';
import { signsDocuments } from './judge.ts';
import { type KeyKind, Openssl, TestAuthority } from './openssl.ts';
import type { TokenAsk } from './token-program.ts';

const MODULE = '/usr/lib/softhsm/libsofthsm2.so';
const PIN = '4711';
const openssl = new Openssl();
const authority = new TestAuthority(openssl);
const environment = { ...process.env, SOFTHSM2_CONF: openssl.path('softhsm2.conf') };
const keys = [
  { kind: 'rsa', id: '01' },
  { kind: 'p256', id: '02' },
  { kind: 'p384', id: '03' },
] as const satisfies { kind: KeyKind; id: string }[];
let program: ChildProcess;

beforeAll(async () => {
  mkdirSync(openssl.path('tokens'));
  openssl.write('softhsm2.conf', `directories.tokendir = ${openssl.path('tokens')}\nlog.level = ERROR\n`);
  softhsm('--init-token', '--free', '--label', 'office', '--so-pin', '12345678', '--pin', PIN);
  softhsm('--init-token', '--free', '--label', 'cellar', '--so-pin', '12345678', '--pin', PIN);
  for (const { kind, id } of keys) {
    authority.issue(kind, { kind });
    importKey(kind, `key of ${kind}`, id);
  }
  authority.issue('stray', { kind: 'p256' });
  importKey('stray', 'a stray', '09');
  start();
  const certificates = [
    ...keys.map(({ kind, id }) => stored(`${kind}.crt`, `certificate of ${kind}`, id)),
    stored('ca.crt', 'issuer', 'a0'),
    // Of another key, though it says that it is this one's.
    stored('p256.crt', 'wrong', '09'),
  ];
  await ask({ do: 'store', address: address({}), certificates });
});
afterAll(async () => {
  program.kill();
  await once(program, 'exit');
  openssl.remove();
});

function softhsm(...args: string[]): void {
  const { status, stderr } = spawnSync('softhsm2-util', args, { env: environment });
  if (status !== 0) throw new Error(`softhsm2-util ${args.join(' ')}: ${stderr}`);
}

function importKey(name: string, label: string, id: string): void {
  const path = openssl.path(`${name}.key`);
  softhsm('--import', path, '--token', 'office', '--label', label, '--id', id, '--pin', PIN);
}

function stored(file: string, label: string, id: string) {
  return { label, id, base64: new X509Certificate(openssl.read(file)).raw.toString('base64') };
}

function start(): void {
  program = fork(fileURLToPath(new URL('token-program.ts', import.meta.url)), {
    env: environment,
    execArgv: ['--conditions=source', '--no-warnings'],
  });
}

async function ask(request: TokenAsk): Promise<unknown> {
  program.send(request);
  const [answer] = (await once(program, 'message')) as [{ value?: unknown; refusal?: string }];
  return answer.refusal ?? answer.value;
}

const address = (change: object) => ({
  module: MODULE,
  tokenLabel: 'office',
  slot: undefined,
  pin: PIN,
  keyLabel: undefined,
  keyId: undefined,
  ...change,
});

interface Opened {
  certificates: string[];
  algorithm: SignatureAlgorithm;
  hash: HashAlgorithm;
}

async function open(
  change: object,
  rsaPadding: 'pkcs1' | 'pss' = 'pkcs1',
  certificates?: string[],
): Promise<RawSigner> {
  const opened = await ask({ do: 'open', address: address(change), rsaPadding, certificates });
  if (typeof opened === 'string') throw new Error(opened);
  const { algorithm, hash, certificates: ders } = opened as Opened;
  const [own, ...others] = ders.map((text) => new X509Certificate(Buffer.from(text, 'base64')));
  if (own === undefined) throw new Error('no certificate');
  return {
    certificates: [own, ...others],
    algorithm,
    hash,
    sign: async (tbs) => {
      const signed = await ask({ do: 'sign', base64: Buffer.from(tbs).toString('base64'), times: 1 });
      return Buffer.from((signed as string[])[0] ?? '', 'base64');
    },
  };
}

const refusal = (change: object, certificates?: string[]): Promise<unknown> =>
  ask({ do: 'open', address: address(change), rsaPadding: 'pkcs1', certificates });

test.each<[string, object, 'pkcs1' | 'pss', string]>([
  ['RSA, found by its label', { keyLabel: 'key of rsa' }, 'pkcs1', 'rsa'],
  ['RSA with PSS, found by its id', { keyId: [0x01] }, 'pss', 'rsa-pss'],
  ['P-256', { keyLabel: 'key of p256' }, 'pkcs1', 'ecdsa'],
  ['P-384, found by both', { keyLabel: 'key of p384', keyId: [0x03] }, 'pkcs1', 'ecdsa'],
])('A key in a token signs documents that OpenSSL takes: %s', async (_, change, padding, algorithm) => {
  const signer = await open(change, padding);
  expect(signer.algorithm).toBe(algorithm);
  expect(signer.certificates.map(({ subject }) => subject.split('CN=')[1])[1]).toBe('Test authority');
  openssl.write('anchors.pem', Buffer.concat([openssl.read('root.crt')]));
  expect(await signsDocuments(signer, openssl, 'anchors.pem')).toBe(true);
});

test('Certificates may lie beside the token', async () => {
  const chain = ['p256.crt', 'ca.crt', 'root.crt'].map((file) => stored(file, '', '').base64);
  const signer = await open({ keyLabel: 'key of p256' }, 'pkcs1', chain);
  expect(signer.certificates).toHaveLength(3);
  expect(await signsDocuments(signer, openssl)).toBe(true);
});

test('Many signatures at once come out one after the other, all of them good', async () => {
  const signer = await open({ keyLabel: 'key of rsa' });
  const signatures = (await ask({ do: 'sign', base64: 'eA==', times: 50 })) as string[];
  expect(signatures).toHaveLength(50);
  expect(new Set(signatures).size).toBe(1);
  expect(await signer.sign(Buffer.from('x'))).toEqual(Buffer.from(signatures[0] ?? '', 'base64'));
});

test('A token that lost its sessions is opened anew by the next signature', async () => {
  const signer = await open({ keyLabel: 'key of p256' });
  await ask({ do: 'break' });
  expect(await signsDocuments(signer, openssl)).toBe(true);
});

test.each<[string, object, string]>([
  ['no such token', { tokenLabel: 'attic', keyLabel: 'key of rsa' }, 'There is no such token.'],
  ['no such slot', { slot: 1, tokenLabel: undefined, keyLabel: 'key of rsa' }, 'There is no such token.'],
  ['no such key', { keyLabel: 'other' }, 'The token holds no key of this name.'],
  [
    'a token without a key',
    { tokenLabel: 'cellar', keyLabel: 'key of rsa' },
    'The token holds no key of this name.',
  ],
  ['several keys', { keyLabel: undefined }, 'The token holds several keys of this name.'],
  [
    'no library',
    { module: '/nowhere/lib.so', keyLabel: 'key of rsa' },
    'The PKCS #11 library cannot be loaded.',
  ],
  [
    'a certificate of another key',
    { keyLabel: 'a stray' },
    'The key in the token does not sign for its certificate.',
  ],
])('%s is refused, with the reason', async (_, change, reason) => {
  expect(await refusal(change)).toBe(`SIGNING_KEY_INVALID: ${reason}`);
});

test('A wrong PIN is refused', async () => {
  // By itself: a session that is logged in counts for all of them in a process.
  program.kill();
  await once(program, 'exit');
  start();
  expect(await refusal({ keyLabel: 'key of rsa', pin: '0000' })).toBe(
    'SIGNING_KEY_INVALID: The token does not let the service in (CKR_PIN_INCORRECT).',
  );
});
