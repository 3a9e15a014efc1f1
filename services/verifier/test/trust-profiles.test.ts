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
  test('name files of one certificate or several, in their folder', async () => {
    const loaded = await profiles({
      default: { certificates: 'root.pem' },
      all: { certificates: ['both.pem', join(folder, 'root.pem')] },
    });
    expect(namesOf(loaded.get('default') ?? [])).toEqual(['Test Root']);
    expect(namesOf(loaded.get('all') ?? [])).toEqual(['Test Issuer', 'Test Root', 'Test Root']);
  });

  test('with mistakes end the start, and all are told by profile and property', async () => {
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
    ['that are no object', [], /TRUST_PROFILES: /],
    ['without certificates', { a: {} }, /a\.certificates/],
    ['with none', { a: { certificates: [] } }, /a\.certificates/],
    ['with something else', { a: { certificates: 'root.pem', password: 'hunter2' } }, /TRUST_PROFILES: a/],
    [
      'under the name that is the service’s own',
      { service: { certificates: 'root.pem' } },
      /service: is reserved/,
    ],
    ['under a name that is none', { '../x': { certificates: 'root.pem' } }, /short name/],
  ])('%s end the start', async (_what, content, told) => {
    const failure = await profiles(content).catch((error: unknown) => error);
    expect(failure).toBeInstanceOf(ConfigError);
    expect(String(failure)).toMatch(told);
    expect(String(failure)).not.toContain('hunter2');
  });

  test('that are missing, or no JSON, end the start', async () => {
    await expect(loadTrustProfiles(join(folder, 'nowhere.json'))).rejects.toThrow(/TRUST_PROFILES.*ENOENT/s);
    await expect(loadTrustProfiles(written('text.json', '{'))).rejects.toThrow(/TRUST_PROFILES: JSON/);
  });
});

describe('a request trusts', () => {
  const configured = async () =>
    profiles({ default: { certificates: 'root.pem' }, ours: { certificates: 'both.pem' } });
  const service = () => [pki.intermediate, pki.root].map(({ der }) => readCertificate(der));
  const base64 = (der: Buffer) => der.toString('base64');

  test.each<[string, string[], string | undefined, string[]]>([
    ['the profile default, where it names nobody', [], undefined, ['Test Root']],
    ['the profile that it names', [], 'ours', ['Test Issuer', 'Test Root']],
    ['the root of the service', [], 'service', ['Test Root']],
    ['whom it names, and no others', ['tsa'], undefined, ['Test TSA']],
    ['whom it names, and a profile', ['tsa'], 'ours', ['Test TSA', 'Test Issuer', 'Test Root']],
  ])('%s', async (_what, sent, profile, names) => {
    const anchors = sent.map(() => base64(pki.tsa.der));
    const found = anchorsOf(
      await configured(),
      { anchors, ...(profile !== undefined && { profile }) },
      service(),
    );
    expect(namesOf(found)).toEqual(names);
  });

  test('nobody, where it names nobody and no default is configured', () => {
    expect(anchorsOf(new Map(), { anchors: [] }, service())).toEqual([]);
  });

  test.each(['nobody', 'constructor', '__proto__', ''])(
    'no profile that there is not (%s)',
    async (profile) => {
      const found = await configured();
      expect(await refusalOf(() => anchorsOf(found, { anchors: [], profile }, service()))).toBe(
        'VALIDATION_ERROR: This service has no trust profile of this name.',
      );
    },
  );

  test('nobody yet by the profile service, while the certificate of the service is not known', async () => {
    const trust = { anchors: [base64(pki.tsa.der)], profile: 'service' };
    expect(await refusalOf(() => anchorsOf(new Map(), trust, []))).toBe(
      'UNAVAILABLE: No signer has published the service certificate.',
    );
    expect(namesOf(anchorsOf(new Map(), { anchors: trust.anchors }, []))).toEqual(['Test TSA']);
  });

  test('nothing that is no certificate', async () => {
    const anchors = [base64(pki.root.der), 'AAAA'];
    expect(await refusalOf(() => anchorsOf(new Map(), { anchors }, service()))).toBe(
      'VALIDATION_ERROR: Trust anchor 2 is not a readable certificate.',
    );
  });
});
