import { readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { privateKeySigner, readPem } from '@scriptorium/pki/keys';
import { type KeyKind, Openssl, TestAuthority } from '@scriptorium/testing/openssl-authority';
import { refusalOf } from '@scriptorium/testing/refusal';
import { CallerKeys } from '../src/keys/caller-keys.ts';
import { developmentSigner } from '../src/keys/development.ts';
import { publicSigningKey } from '../src/keys/public-key.ts';
import { signsDocuments } from './judge.ts';

const openssl = new Openssl();
const authority = new TestAuthority(openssl);
afterAll(() => openssl.remove());

describe('the development key', () => {
  const folder = openssl.path('keys/development');
  const file = `${folder}/development-key.pem`;

  test('is created once, signs, and is reused at the next start', async () => {
    const first = await developmentSigner(folder);
    const again = await developmentSigner(folder);
    expect(again.certificates[0].raw).toEqual(first.certificates[0].raw);
    openssl.write('development.crt', first.certificates[1]?.toString() ?? '');
    expect(await signsDocuments(again, openssl, 'development.crt')).toBe(true);
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(statSync(folder).mode & 0o777).toBe(0o700);
  });

  test('has certificates that OpenSSL accepts and that describe themselves', async () => {
    const [own, issuer, root] = (await developmentSigner(folder)).certificates;
    expect(root).toBeUndefined();
    openssl.write('own.crt', own.toString());
    openssl.write('issuer.crt', issuer?.toString() ?? '');
    expect(
      openssl.run('verify', '-x509_strict', '-policy_check', '-CAfile', 'issuer.crt', 'own.crt').toString(),
    ).toBe('own.crt: OK\n');
    const text = openssl
      .run('x509', '-in', 'own.crt', '-noout', '-text', '-nameopt', 'utf8,sep_comma_plus')
      .toString();
    expect(text).toContain('Issuer: O=Scriptorium,CN=Scriptorium development CA – do not trust');
    expect(text).toContain('Subject: O=Scriptorium,CN=Scriptorium development key – do not trust');
    expect(text).toContain('Public-Key: (2048 bit)');
    expect(text).toMatch(/Key Usage: critical\s+Digital Signature, Non Repudiation/);
    expect(text).toContain('CA:FALSE');
    expect(openssl.run('x509', '-in', 'issuer.crt', '-noout', '-text').toString()).toMatch(
      /Key Usage: critical\s+Certificate Sign, CRL Sign/,
    );
  });

  test('is the same for all processes that start at once', async () => {
    const common = openssl.path('keys/common');
    const signers = await Promise.all(Array.from({ length: 6 }, () => developmentSigner(common)));
    const fingerprints = signers.map(({ certificates }) => certificates[0].fingerprint256);
    expect(new Set(fingerprints).size).toBe(1);
    expect(
      openssl
        .run('x509', '-in', 'keys/common/development-key.pem', '-noout', '-fingerprint', '-sha256')
        .toString(),
    ).toContain(fingerprints[0]);
  });

  test('is replaced after it expires', async () => {
    const past = openssl.path('keys/past');
    const first = await developmentSigner(past, new Date('2019-01-01T00:00:00Z'));
    const next = await developmentSigner(past);
    expect(next.certificates[0].fingerprint256).not.toBe(first.certificates[0].fingerprint256);
    expect((await developmentSigner(past)).certificates[0].raw).toEqual(next.certificates[0].raw);
  });

  test('is not silently replaced if its file is damaged', async () => {
    const whole = readFileSync(file, 'utf8');
    writeFileSync(file, whole.slice(0, 900));
    expect(await refusalOf(() => developmentSigner(folder))).toMatch(/^SIGNING_KEY_INVALID: /);
    rmSync(file);
    expect(await refusalOf(() => developmentSigner(folder))).toBe('not refused');
  });
});

describe('the public form of a key', () => {
  test.each<[KeyKind, string]>([
    ['rsa', 'RSA-2048'],
    ['rsaPss', 'RSA-PSS-2048'],
    ['p256', 'ECDSA-P-256'],
    ['p384', 'ECDSA-P-384'],
  ])('of %s matches OpenSSL, and contains nothing private', async (kind, algorithm) => {
    authority.issue('shown', { kind });
    const pem = { privateKey: authority.text('shown.key'), certificates: authority.chain('shown') };
    const signer = privateKeySigner(await readPem(pem), { now: new Date() });
    const shown = publicSigningKey(signer, false);
    const x509 = (...args: string[]): string =>
      openssl.run('x509', '-in', 'shown.crt', '-noout', ...args).toString();
    expect(shown.algorithm).toBe(algorithm);
    expect(shown.publicKey).toBe(x509('-pubkey'));
    expect(x509('-fingerprint', '-sha256').toLowerCase()).toContain(`=${shown.fingerprint}\n`);
    expect(new Date(x509('-startdate').slice('notBefore='.length)).toISOString()).toBe(shown.validFrom);
    expect(new Date(x509('-enddate').slice('notAfter='.length)).toISOString()).toBe(shown.validTo);
    expect(`issuer=${shown.issuer}\n`).toBe(x509('-issuer', '-nameopt', 'RFC2253'));
    expect(shown.certificate).toBe(authority.chain('shown'));
    expect(shown.version).toMatch(/^[0-9a-f]{16}$/);
    expect(publicSigningKey(signer, true)).toEqual({ ...shown, isDevelopmentKey: true });
    expect(JSON.stringify(shown)).not.toContain('PRIVATE');
  });

  test('has another version for another key, and the same one for a new certificate of the same key', async () => {
    const versions: string[] = [];
    const version = async (): Promise<void> => {
      const pem = { privateKey: authority.text('turn.key'), certificates: authority.text('turn.crt') };
      versions.push(
        publicSigningKey(privateKeySigner(await readPem(pem), { now: new Date() }), false).version,
      );
    };
    authority.issue('turn', { kind: 'p256' });
    await version();
    openssl.run(
      ...['x509', '-req', '-in', 'turn.csr', '-CA', 'ca.crt', '-CAkey', 'ca.key', '-set_serial', '5'],
      ...['-out', 'turn.crt'],
    );
    await version();
    authority.issue('turn', { kind: 'p256' });
    await version();
    expect(versions[0]).toBe(versions[1]);
    expect(versions[2]).not.toBe(versions[0]);
  });
});

describe("callers' keys", () => {
  const p12 = (password: string) =>
    ({ kind: 'p12', base64: openssl.read('caller.p12').toString('base64'), password }) as const;

  beforeAll(() => {
    authority.issue('caller', { kind: 'p256' });
    openssl.run(
      ...['pkcs12', '-export', '-inkey', 'caller.key', '-in', 'caller.crt', '-certfile', 'chain.crt'],
      ...['-passout', 'pass:secret', '-out', 'caller.p12'],
    );
  });

  test('sign as PKCS #12 and as PEM', async () => {
    const keys = new CallerKeys();
    const pem = {
      kind: 'pem',
      privateKey: authority.text('caller.key'),
      certificates: authority.chain('caller'),
    } as const;
    for (const key of [p12('secret'), pem])
      expect(await signsDocuments(await keys.signer(key, new Date()), openssl)).toBe(true);
  });

  test('are opened once for many signatures, even concurrent ones', async () => {
    const keys = new CallerKeys();
    const [first, second] = await Promise.all([
      keys.signer(p12('secret'), new Date()),
      keys.signer(p12('secret'), new Date()),
    ]);
    expect(second).toBe(first);
    expect(await keys.signer(p12('secret'), new Date())).toBe(first);
    expect(keys.size).toBe(1);
  });

  test('that were opened do not open with another password', async () => {
    const keys = new CallerKeys();
    await keys.signer(p12('secret'), new Date());
    expect(await refusalOf(() => keys.signer(p12('wrong'), new Date()))).toBe(
      'SIGNING_KEY_INVALID: The password of the PKCS #12 file is wrong.',
    );
    expect(keys.size).toBe(1);
  });

  test('are forgotten after their time, however often they were used', async () => {
    const keys = new CallerKeys(50);
    const first = await keys.signer(p12('secret'), new Date());
    const until = Date.now() + 60_000;
    while (keys.size > 0 && Date.now() < until) await new Promise((resolve) => setTimeout(resolve, 10));
    expect(keys.size).toBe(0);
    expect(await keys.signer(p12('secret'), new Date())).not.toBe(first);
  });

  test('are cached in a bounded number', async () => {
    const keys = new CallerKeys();
    const certificates = authority.text('caller.crt');
    for (let count = 0; count < 70; count++)
      await keys.signer(
        { kind: 'pem', privateKey: authority.text('caller.key'), certificates, password: String(count) },
        new Date(),
      );
    expect(keys.size).toBe(64);
  });

  test('are refused if they have expired since they were opened', async () => {
    const keys = new CallerKeys();
    const { certificates } = await keys.signer(p12('secret'), new Date());
    const later = new Date(certificates[0].validToDate.getTime() + 1_000);
    expect(await refusalOf(() => keys.signer(p12('secret'), later))).toMatch(
      /^SIGNING_KEY_INVALID: The certificate expired at /,
    );
  });
});
