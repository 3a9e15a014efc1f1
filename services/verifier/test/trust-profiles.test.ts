import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { readCertificate } from '@scriptorium/pki/certificates';
import { ConfigError } from '@scriptorium/shared/config';
import { createPki, type Pki } from '@scriptorium/testing/pki/pki';
import { refusalOf } from '@scriptorium/testing/refusal';
import { anchorsOf, loadTrustProfiles } from '../src/trust-profiles.ts';

const folder = mkdtempSync(join(tmpdir(), 'verifier-trust-'));
let pki: Pki;
beforeAll(async () => {
  pki = await createPki();
  written('root.pem', pki.root.pem);
  written('both.pem', `# Whom we trust\n${pki.intermediate.chainPem}`);
  written('empty.pem', 'nothing');
  written('broken.pem', pki.root.pem.replace(/[A-Za-z]{20}/, 'AAAAAAAAAAAAAAAAAAAA'));
});
afterAll(async () => {
  await pki.close();
  rmSync(folder, { recursive: true });
});

function written(name: string, content: string): string {
  const file = join(folder, name);
  writeFileSync(file, content);
  return file;
}

const profiles = (content: unknown) => loadTrustProfiles(written('profiles.json', JSON.stringify(content)));
const namesOf = (certificates: readonly { x509: { subject: string } }[]) =>
  certificates.map(({ x509 }) => /CN=(.*)/.exec(x509.subject)?.[1]);

describe('trust profiles', () => {
  test('refer to one or several certificate files in their folder', async () => {
    const loaded = await profiles({
      default: { certificates: 'root.pem' },
      all: { certificates: ['both.pem', join(folder, 'root.pem')] },
    });
    expect(namesOf(loaded.get('default') ?? [])).toEqual(['Test Root']);
    expect(namesOf(loaded.get('all') ?? [])).toEqual(['Test Issuer', 'Test Root', 'Test Root']);
  });

  test('with mistakes end the start, and every mistake names its profile and property', async () => {
    const failure = await profiles({
      good: { certificates: 'root.pem' },
      lost: { certificates: 'nowhere.pem' },
      bare: { certificates: ['root.pem', 'empty.pem'] },
      damaged: { certificates: 'broken.pem' },
    }).catch((error: unknown) => error);
    expect(failure).toBeInstanceOf(ConfigError);
    expect((failure as ConfigError).mistakes).toEqual([
      'TRUST_PROFILES: lost.certificates: nowhere.pem cannot be read (ENOENT)',
      'TRUST_PROFILES: bare.certificates: empty.pem contains no certificate in PEM',
      'TRUST_PROFILES: damaged.certificates: broken.pem contains an unreadable certificate',
    ]);
  });

  test.each<[string, unknown, RegExp]>([
    ['that are not an object', [], /TRUST_PROFILES: /],
    ['without certificates', { a: {} }, /a\.certificates/],
    ['with none', { a: { certificates: [] } }, /a\.certificates/],
    [
      'with an unknown property',
      { a: { certificates: 'root.pem', password: 'hunter2' } },
      /TRUST_PROFILES: a/,
    ],
    [
      'under the name that is the service’s own',
      { service: { certificates: 'root.pem' } },
      /service: is reserved/,
    ],
    ['with an invalid name', { '../x': { certificates: 'root.pem' } }, /short name/],
  ])('%s end the start', async (_what, content, pattern) => {
    const failure = await profiles(content).catch((error: unknown) => error);
    expect(failure).toBeInstanceOf(ConfigError);
    expect(String(failure)).toMatch(pattern);
    expect(String(failure)).not.toContain('hunter2');
  });

  test('that are missing or invalid JSON end the start', async () => {
    await expect(loadTrustProfiles(join(folder, 'nowhere.json'))).rejects.toThrow(/TRUST_PROFILES.*ENOENT/s);
    await expect(loadTrustProfiles(written('text.json', '{'))).rejects.toThrow(/TRUST_PROFILES: JSON/);
  });
});

describe('a request trusts', () => {
  const configured = async () =>
    profiles({ default: { certificates: 'root.pem' }, ours: { certificates: 'both.pem' } });
  const service = () => [
    [pki.intermediate, pki.root].map(({ der }) => readCertificate(der)),
    [readCertificate(pki.tsa.der)],
  ];
  const base64 = (der: Buffer) => der.toString('base64');

  test.each<[string, string[], string | undefined, string[]]>([
    ['the profile default, if it names none', [], undefined, ['Test Root']],
    ['the profile that it names', [], 'ours', ['Test Issuer', 'Test Root']],
    ['the roots of all keys of the service', [], 'service', ['Test Root', 'Test TSA']],
    ['only its own anchors', ['tsa'], undefined, ['Test TSA']],
    ['its own anchors and a profile', ['tsa'], 'ours', ['Test TSA', 'Test Issuer', 'Test Root']],
  ])('%s', async (_what, sent, profile, names) => {
    const anchors = sent.map(() => base64(pki.tsa.der));
    const found = anchorsOf(
      await configured(),
      { anchors, ...(profile !== undefined && { profile }) },
      service(),
    );
    expect(namesOf(found)).toEqual(names);
  });

  test('no one, if it names no profile and no default is configured', () => {
    expect(anchorsOf(new Map(), { anchors: [] }, service())).toEqual([]);
  });

  test.each(['nobody', 'constructor', '__proto__', ''])('no unknown profile (%s)', async (profile) => {
    const found = await configured();
    expect(await refusalOf(() => anchorsOf(found, { anchors: [], profile }, service()))).toBe(
      'VALIDATION_ERROR: This service has no trust profile of this name.',
    );
  });

  test('no one by the profile service while the service certificate is unknown', async () => {
    const trust = { anchors: [base64(pki.tsa.der)], profile: 'service' };
    expect(await refusalOf(() => anchorsOf(new Map(), trust, []))).toBe(
      'UNAVAILABLE: No signer has published the service certificate.',
    );
    expect(namesOf(anchorsOf(new Map(), { anchors: trust.anchors }, []))).toEqual(['Test TSA']);
  });

  test('no anchor that is not a certificate', async () => {
    const anchors = [base64(pki.root.der), 'AAAA'];
    expect(await refusalOf(() => anchorsOf(new Map(), { anchors }, service()))).toBe(
      'VALIDATION_ERROR: Trust anchor 2 is not a readable certificate.',
    );
  });
});
