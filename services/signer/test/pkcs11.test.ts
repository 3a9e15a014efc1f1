import { type ChildProcess, fork, spawnSync } from 'node:child_process';
import { createPrivateKey, X509Certificate } from 'node:crypto';
import { once } from 'node:events';
import { mkdirSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import {
  type HashAlgorithm,
  type RawSigner,
  readCertificates,
  type SignatureAlgorithm,
} from '@scriptorium/pki/keys';
import { type KeyKind, Openssl, TestAuthority } from '@scriptorium/testing/openssl-authority';
import { signsDocuments } from './judge.ts';
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
  importKey('stray', 'twin', '0b');
  importKey('p256', 'twin', '0c');
  start();
  const certificates = [
    ...keys.map(({ kind, id }) => stored(`${kind}.crt`, `certificate of ${kind}`, id)),
    stored('ca.crt', 'issuer', 'a0'),
    // A certificate of another key with this key's id.
    stored('p256.crt', 'wrong', '09'),
  ];
  const { d = '' } = createPrivateKey(authority.text('p256.key')).export({ format: 'jwk' });
  const guarded = { label: 'guarded', id: 'd0', secret: Buffer.from(d, 'base64url').toString('hex') };
  await ask({
    do: 'store',
    certificates: [...certificates, stored('p256.crt', 'guarded', 'd0')],
    guarded,
  });
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
  program = fork(fileURLToPath(new URL('token-program.ts', import.meta.url)), [MODULE, 'office', PIN], {
    env: environment,
    execArgv: ['--conditions=source', '--no-warnings'],
  });
}

async function ask(request: TokenAsk): Promise<unknown> {
  program.send(request);
  const [answer] = (await once(program, 'message')) as [{ value?: unknown; refusal?: string }];
  return answer.refusal ?? answer.value;
}

function open(change: object): Promise<unknown> {
  const hsm = { pkcs11: { module: MODULE, tokenLabel: 'office', pin: PIN, ...change } };
  openssl.write('profiles.json', JSON.stringify({ hsm }));
  return ask({ do: 'open', file: openssl.path('profiles.json') });
}

const signRemotely = async (tbs: Uint8Array): Promise<unknown> =>
  ask({ do: 'sign', base64: Buffer.from(tbs).toString('base64'), times: 1 });

/** The certificate and signatures of a profile, as far as the channel transports them. */
async function signerOf(change: object): Promise<RawSigner> {
  const opened = await open(change);
  if (typeof opened === 'string') throw new Error(opened);
  const { algorithm, hash, certificates } = opened as {
    certificates: string[];
    algorithm: SignatureAlgorithm;
    hash: HashAlgorithm;
  };
  const [own, ...others] = readCertificates(certificates.map((text) => Buffer.from(text, 'base64')));
  if (own === undefined) throw new Error('no certificate');
  return {
    certificates: [own, ...others],
    algorithm,
    hash,
    sign: async (tbs) => Buffer.from(((await signRemotely(tbs)) as string[])[0] ?? '', 'base64'),
  };
}

test.each<[string, object, string]>([
  ['RSA, found by its label', { keyLabel: 'key of rsa' }, 'rsa'],
  ['RSA with PSS, found by its id', { keyId: '01', rsaPadding: 'pss' }, 'rsa-pss'],
  ['P-256', { keyLabel: 'key of p256' }, 'ecdsa'],
  ['P-384, found by both', { keyLabel: 'key of p384', keyId: '03' }, 'ecdsa'],
  ['P-256, whose key needs the PIN each time', { keyLabel: 'guarded' }, 'ecdsa'],
  ['P-256, with its PIN in a file', { keyLabel: 'key of p256', pin: undefined, pinFile: 'pin.txt' }, 'ecdsa'],
])('a key in a token makes signatures that OpenSSL accepts: %s', async (_, change, algorithm) => {
  openssl.write('pin.txt', `${PIN}\n`);
  const signer = await signerOf(change);
  expect(signer.algorithm).toBe(algorithm);
  expect(signer.certificates.map(({ subject }) => subject.split('CN=')[1])[1]).toBe('Test authority');
  expect(await signsDocuments(signer, openssl)).toBe(true);
});

test('certificates may be stored outside the token', async () => {
  openssl.write('p256.chain', authority.chain('p256'));
  const signer = await signerOf({ keyLabel: 'key of p256', certificatesFile: 'p256.chain' });
  expect(signer.certificates).toHaveLength(3);
  expect(await signsDocuments(signer, openssl)).toBe(true);
});

test('concurrent signatures are made one after another, and all are valid', async () => {
  await signerOf({ keyLabel: 'key of rsa' });
  const signatures = (await ask({ do: 'sign', base64: 'eA==', times: 50 })) as string[];
  expect(signatures).toHaveLength(50);
  // RSA with PKCS #1 v1.5 is deterministic.
  expect(new Set(signatures).size).toBe(1);
});

test('threads of one process share a token, and their end does not close it', async () => {
  const base64 = Buffer.from('x').toString('base64');
  await signerOf({ keyLabel: 'key of rsa' });
  const here = await ask({ do: 'sign', base64, times: 1 });
  expect(here).toHaveLength(1);
  for (let thread = 0; thread < 3; thread++)
    expect(await ask({ do: 'signInThread', file: openssl.path('profiles.json'), base64 })).toEqual(here);
  expect(await ask({ do: 'sign', base64, times: 1 })).toEqual(here);
});

test('a token that lost its sessions is reopened by the next signature', async () => {
  const signer = await signerOf({ keyLabel: 'key of p256' });
  await ask({ do: 'endSessions' });
  expect(await signsDocuments(signer, openssl)).toBe(true);
});

test.each<[string, object, string]>([
  ['an unknown token', { tokenLabel: 'attic', keyLabel: 'key of rsa' }, 'The token was not found.'],
  ['an unknown slot', { slot: 1, tokenLabel: undefined, keyLabel: 'key of rsa' }, 'The token was not found.'],
  ['an unknown key', { keyLabel: 'other' }, 'The token holds no key of this name.'],
  [
    'a token without a key',
    { tokenLabel: 'cellar', keyLabel: 'key of rsa' },
    'The token holds no key of this name.',
  ],
  ['a name of several keys', { keyLabel: 'twin' }, 'The token holds several keys of this name.'],
  ['a key without a certificate', { keyId: '0b' }, 'The token holds no certificate for the key.'],
  [
    'a missing library',
    { module: '/nowhere/lib.so', keyLabel: 'x' },
    'The PKCS #11 library cannot be loaded.',
  ],
  [
    'a certificate of another key',
    { keyLabel: 'a stray' },
    'The key in the token does not match its certificate.',
  ],
  [
    'a missing key with a certificate in a file',
    { keyLabel: 'other', certificatesFile: 'p256.crt' },
    'The token holds no key of this name.',
  ],
])('%s is refused with the reason', async (_, change, reason) => {
  expect(await open(change)).toBe(`profile hsm: ${reason}`);
});

describe('a wrong PIN', () => {
  // A logged-in session counts for all sessions of a process: each test has its own process.
  beforeEach(async () => {
    program.kill();
    await once(program, 'exit');
    start();
  });

  test('is refused, and the message does not contain the PIN', async () => {
    expect(await open({ keyLabel: 'key of rsa', pin: '0815' })).toBe(
      'profile hsm: The token refuses the login (CKR_PIN_INCORRECT).',
    );
  });

  test('is not tried again, so that the token does not lock itself', async () => {
    await signerOf({ keyLabel: 'key of rsa' });
    const failure = 'REMOTE_SIGNER_FAILED: The token failed (CKR_PIN_INCORRECT).';
    await ask({ do: 'changePin', from: PIN, to: '0815' });
    expect(await signRemotely(Buffer.from('x'))).toBe(failure);
    await ask({ do: 'changePin', from: '0815', to: PIN });
    expect(await signRemotely(Buffer.from('x'))).toBe(failure);
    await signerOf({ keyLabel: 'key of rsa' });
    expect(await signRemotely(Buffer.from('x'))).toHaveLength(1);
  });
});
