import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { ConfigError } from '@scriptorium/shared/config';
import { Openssl, TestAuthority } from '@scriptorium/testing/openssl-authority';
import { refusalOf } from '@scriptorium/testing/refusal';
import { loadProfiles, profileSigner, profileWarnings } from '../src/keys/profiles.ts';
import { signsDocuments } from './judge.ts';

const openssl = new Openssl();
const authority = new TestAuthority(openssl);
const noPost = () => Promise.reject(new Error('no request is expected'));

beforeAll(() => {
  authority.issue('rsa', { kind: 'rsa' });
  authority.issue('p256', { kind: 'p256' });
  authority.issue('old', { kind: 'p256', validity: ['20200101000000Z', '20210101000000Z'] });
  for (const name of ['rsa', 'p256', 'old']) openssl.write(`${name}.chain`, authority.chain(name));
  openssl.run(
    ...['pkcs12', '-export', '-inkey', 'rsa.key', '-in', 'rsa.crt', '-certfile', 'chain.crt'],
    ...['-passout', 'pass:hush hush', '-out', 'rsa.p12'],
  );
  openssl.run('pkcs8', '-topk8', '-in', 'p256.key', '-passout', 'pass:sesame', '-out', 'p256.enc');
  openssl.write('password.txt', 'hush hush\r\n');
  openssl.write('sesame.txt', 'sesame\n');
});
afterAll(() => openssl.remove());

function load(profiles: unknown) {
  openssl.write('profiles.json', typeof profiles === 'string' ? profiles : JSON.stringify(profiles));
  return loadProfiles(openssl.path('profiles.json'), noPost);
}

async function mistakesOf(profiles: unknown): Promise<string[]> {
  const error = await load(profiles).catch((thrown: unknown) => thrown);
  if (!(error instanceof ConfigError)) throw error;
  expect(`${error.message} ${error.stack} ${JSON.stringify(error)}`).not.toMatch(/hush|sesame/);
  return error.mistakes;
}

const asked = (profile: string, apiKey = 'key_ada') => ({ profile, apiKey });
const enc = { privateKeyFile: 'p256.enc', certificatesFile: 'p256.chain' };

test('each profile signs with its source’s key, from paths relative to the file', async () => {
  const signers = await load({
    service: { p12: 'rsa.p12', password: 'hush hush' },
    fromFile: {
      p12: openssl.path('rsa.p12'),
      passwordFile: 'password.txt',
      rsaPadding: 'pss',
      allow: 'everyone',
    },
    'text-key': { pem: { ...enc, passwordFile: 'sesame.txt' }, allow: ['key_ada', 'key_bob'] },
    away: {
      remote: {
        url: 'https://signing.example/csc/v2',
        credentialId: 'x',
        token: 'hush',
        certificatesFile: 'rsa.chain',
      },
      allow: ['key_ada'],
    },
  });
  expect([...signers.keys()]).toEqual(['service', 'fromFile', 'text-key', 'away']);
  for (const [name, algorithm] of [
    ['service', 'rsa'],
    ['fromFile', 'rsa-pss'],
    ['text-key', 'ecdsa'],
  ] as const) {
    const signer = profileSigner(signers, asked(name), new Date());
    expect(signer.algorithm).toBe(algorithm);
    expect(await signsDocuments(signer, openssl)).toBe(true);
  }
  expect(profileSigner(signers, asked('away'), new Date()).algorithm).toBe('rsa');
});

test('an unknown profile is reported as an error of the request', async () => {
  const signers = await load({ service: { p12: 'rsa.p12', password: 'hush hush' } });
  for (const name of ['other', '', '__proto__', 'constructor'])
    expect(await refusalOf(() => profileSigner(signers, asked(name), new Date()))).toBe(
      'VALIDATION_ERROR: This API key has no signing profile of this name.',
    );
});

test('a profile signs only for the API keys that it allows; the service’s own is for all', async () => {
  const profile = { p12: 'rsa.p12', password: 'hush hush' };
  const signers = await load({ service: profile, ours: { ...profile, allow: ['key_ada'] }, closed: profile });
  for (const [name, apiKey, mayUse] of [
    ['service', 'key_eve', true],
    ['ours', 'key_ada', true],
    ['ours', 'key_eve', false],
    ['ours', '', false],
    ['closed', 'key_ada', false],
  ] as const) {
    const outcome = await refusalOf(() => profileSigner(signers, asked(name, apiKey), new Date()));
    expect([name, apiKey, outcome === 'not refused']).toEqual([name, apiKey, mayUse]);
  }
});

test('an expired certificate stops only its own profile, with a warning for the operator', async () => {
  const signers = await load({
    service: { p12: 'rsa.p12', password: 'hush hush' },
    old: { pem: { privateKeyFile: 'old.key', certificatesFile: 'old.chain' }, allow: 'everyone' },
  });
  const now = new Date();
  expect(await refusalOf(() => profileSigner(signers, asked('old'), now))).toBe(
    'SIGNING_KEY_INVALID: The certificate expired at 2021-01-01T00:00:00.000Z.',
  );
  expect(profileSigner(signers, asked('service'), now).algorithm).toBe('rsa');
  expect(profileWarnings(signers, now)).toEqual([
    'profile old: its certificate expired at 2021-01-01T00:00:00.000Z',
  ]);
});

test('certificates of other keys belong to the profile of the service', async () => {
  const profile = { p12: 'rsa.p12', password: 'hush hush' };
  const signers = await load({ service: { ...profile, otherCertificates: ['p256.chain', 'old.crt'] } });
  const chains = signers.get('service')?.otherChains.map((pem) => pem.split('BEGIN').length - 1);
  expect(chains).toEqual([authority.chain('p256').split('BEGIN').length - 1, 1]);
  for (const [otherCertificates, mistake] of [
    ['p256.chain', '`otherCertificates` must be a list of at most 20 files.'],
    [['p256.key'], 'The certificate text contains no PEM certificate.'],
    [['none.crt'], `${openssl.path('none.crt')} cannot be read (ENOENT)`],
  ])
    expect(await mistakesOf({ service: { ...profile, otherCertificates } })).toEqual([
      `profile service: ${mistake}`,
    ]);
});

test('all mistakes are reported at once, each with its profile and without secrets', async () => {
  const profile = { p12: 'rsa.p12', password: 'hush hush' };
  expect(
    await mistakesOf({
      wrongPassword: { p12: 'rsa.p12', password: 'hush hush!' },
      noFile: { p12: 'missing.p12', password: 'hush' },
      noPasswordFile: { p12: 'rsa.p12', passwordFile: 'missing.txt' },
      mismatch: { pem: { privateKeyFile: 'p256.key', certificatesFile: 'rsa.chain' } },
      both: { p12: 'rsa.p12', password: 'hush', passwordFile: 'password.txt' },
      unknown: { p12: 'rsa.p12', pasword: 'hush' },
      type: { p12: 'rsa.p12', password: 5 },
      none: { jks: 'x', password: 'hush' },
      two: { p12: 'rsa.p12', pem: enc },
      token: { pkcs11: { module: '/x.so', pin: 'hush' } },
      away: {
        remote: { url: 'ftp://hush', credentialId: 'x', token: 'sesame', certificatesFile: 'rsa.chain' },
      },
      noChain: { ...profile, otherCertificates: ['rsa.chain'] },
      noToken: { remote: { url: 'https://x.example', credentialId: 'x', certificatesFile: 'rsa.chain' } },
    }),
  ).toEqual([
    'profile wrongPassword: The password of the PKCS #12 file is wrong.',
    `profile noFile: ${openssl.path('missing.p12')} cannot be read (ENOENT)`,
    `profile noPasswordFile: ${openssl.path('missing.txt')} cannot be read (ENOENT)`,
    'profile mismatch: The certificate does not match the private key.',
    'profile both: must have password or passwordFile, not both',
    'profile unknown: Unrecognized key: "pasword"',
    'profile type: password: Invalid input: expected string, received number',
    'profile none: It must have one of p12, pem, pkcs11, remote.',
    'profile two: It must have one of p12, pem, pkcs11, remote.',
    'profile token: pkcs11: must have tokenLabel or slot',
    'profile token: pkcs11: must have keyLabel or keyId',
    'profile away: remote.url: Invalid URL',
    'profile noChain: Only the profile `service` may have `otherCertificates`.',
    'profile noToken: remote: must have token or tokenFile',
  ]);
});

test.each<[string, unknown, RegExp]>([
  ['an invalid JSON file', '{"service": {"password": "hush"', /profiles\.json is not valid JSON$/],
  ['a JSON value that is not an object', '"hush"', /expected record/],
  ['a profile that is not an object', { service: 'hush' }, /service: Invalid input: expected record/],
])('%s is reported as a mistake', async (_, profiles, mistake) => {
  const mistakes = await mistakesOf(profiles);
  expect(mistakes).toEqual([expect.stringMatching(mistake)]);
});

test('a missing file of profiles is reported as a mistake', async () => {
  const error = await loadProfiles(openssl.path('missing.json'), noPost).catch((thrown: unknown) => thrown);
  expect(error).toMatchObject({ mistakes: [`${openssl.path('missing.json')} cannot be read (ENOENT)`] });
});
