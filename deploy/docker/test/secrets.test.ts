import { mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from '@jest/globals';
import { JOB_SECRETS, ROLES, SERVICE_NAMES } from '@scriptorium/contracts/services';
import { testInWhole } from '@scriptorium/testing/extent';
import { SERVICE_SETTINGS } from '../../settings.ts';
import { PRODUCTION, readCompose, TRIAL } from './compose-files.ts';
import { makeSecrets, secretsOf } from './made-secrets.ts';

const checkout = join(import.meta.dirname, '..', '..', '..');
const trial = readCompose(checkout, TRIAL);
const production = readCompose(checkout, PRODUCTION, {
  PUBLIC_URL: 'https://docs.example.com',
  SECRETS_DIR: '/s',
});
const folder = mkdtempSync(join(tmpdir(), 'scriptorium-secrets-'));
afterAll(() => rmSync(folder, { recursive: true }));

const trialOf = (name: string) => trial.services[name] ?? {};
const productionOf = (name: string) => production.services[name] ?? {};
const environmentOf = (...layers: { environment?: Record<string, string | number> }[]) =>
  Object.assign({}, ...layers.map(({ environment = {} }) => environment)) as Record<string, string>;

describe('the verifier, which reads hostile documents,', () => {
  test.each([
    ['the trial', [trialOf('verifier')]],
    ['production', [trialOf('verifier'), productionOf('verifier')]],
  ])('has no key, and no secret of others in %s', (_where, layers) => {
    const names = Object.keys(environmentOf(...layers));
    for (const name of ['SIGNER_SECRET', 'SIGNING_PROFILES', 'DEVELOPMENT_KEY_DIR'])
      expect(names).not.toContain(name);
    const mounted = layers.flatMap(({ volumes = [] }) => volumes.map((text) => text.split(':').slice(0, 2)));
    for (const [source, target = ''] of mounted)
      expect(target === '/run/trust' || source === 'verifier-secrets').toBe(true);
    for (const { source } of layers.flatMap(({ secrets = [] }) => secrets)) expect(source).toBe('verifier');
  });

  testInWhole('has only secrets of its own in the trial, which only gateways share', () => {
    const secrets = makeSecrets(folder, 'of-the-verifier');
    expect(Object.keys(secretsOf(secrets, 'verifier')).sort()).toEqual([
      'REDIS_BLOB_URL',
      'REDIS_URL',
      'VERIFIER_JOB_SECRET',
      'VERIFIER_SECRET',
    ]);
    const { VERIFIER_SECRET: own } = secretsOf(secrets, 'verifier');
    const { VERIFIER_SECRET: shared, SIGNER_SECRET: other } = secretsOf(secrets, 'gateway');
    expect(own).toHaveLength(64);
    expect(shared).toBe(own);
    expect(other).not.toBe(own);
    expect(Object.keys(secretsOf(secrets, 'signer'))).not.toContain('VERIFIER_SECRET');
  });

  testInWhole('gets its secret where an older installation has none', () => {
    const secrets = makeSecrets(folder, 'older');
    const before = secretsOf(secrets, 'gateway');
    rmSync(join(secrets, 'verifier', 'scriptorium.env'));
    makeSecrets(folder, 'older');
    const after = secretsOf(secrets, 'gateway');
    expect(after.VERIFIER_SECRET).toBe(secretsOf(secrets, 'verifier').VERIFIER_SECRET);
    expect(after.VERIFIER_SECRET).not.toBe(before.VERIFIER_SECRET);
    expect({ ...after, VERIFIER_SECRET: '' }).toEqual({ ...before, VERIFIER_SECRET: '' });
  });

  test('knows no setting for any of them', () => {
    for (const name of ['SIGNER_SECRET', 'SIGNING_PROFILES', 'DEVELOPMENT_KEY_DIR'])
      expect(Object.keys(SERVICE_SETTINGS.verifier.shape)).not.toContain(name);
  });
});

describe('the secrets of a trial', () => {
  testInWhole(
    'differ between installations, persist between starts, and are readable only by their owner',
    () => {
      const [one, other] = [makeSecrets(folder, 'one'), makeSecrets(folder, 'other')];
      const first = secretsOf(one, 'gateway');
      expect(first.CODE_PEPPER).toHaveLength(64);
      expect(secretsOf(other, 'gateway').CODE_PEPPER).not.toBe(first.CODE_PEPPER);
      makeSecrets(folder, 'one');
      expect(secretsOf(one, 'gateway')).toEqual(first);
      expect(secretsOf(one, 'signer').SIGNER_SECRET).toBe(first.SIGNER_SECRET);
      expect(statSync(join(one, 'gateway', 'scriptorium.env')).mode & 0o077).toBe(0);
    },
  );

  testInWhole(
    'of jobs are the same for the gateway and the workers, and are added to an older installation',
    () => {
      const secrets = makeSecrets(folder, 'jobs');
      const before = secretsOf(secrets, 'gateway');
      for (const file of ['redis/users.acl', 'converter/scriptorium.env', 'annotator/scriptorium.env'])
        rmSync(join(secrets, file));
      makeSecrets(folder, 'jobs');
      const after = secretsOf(secrets, 'gateway');
      for (const role of ROLES)
        expect(secretsOf(secrets, role)[JOB_SECRETS[role]]).toBe(after[JOB_SECRETS[role]]);
      expect(new Set(ROLES.map((role) => after[JOB_SECRETS[role]])).size).toBe(ROLES.length);
      expect(after.CODE_PEPPER).toBe(before.CODE_PEPPER);
      makeSecrets(folder, 'jobs');
      expect(secretsOf(secrets, 'gateway')).toEqual(after);
      const users = readFileSync(join(secrets, 'redis/users.acl'), 'utf8');
      expect(users).not.toContain('PASSWORD_');
      expect(users).not.toContain(new URL(after.REDIS_URL ?? '').password);
    },
  );

  testInWhole('let the services into their database', () => {
    const secrets = makeSecrets(folder, 'database-secrets');
    const password = readFileSync(join(secrets, 'database', 'password'), 'utf8').trim();
    for (const name of ['gateway', 'telemetry'] as const)
      expect(new URL(secretsOf(secrets, name).DATABASE_URL ?? '').password).toBe(password);
  });

  test('are mounted where the images read them, each for its own service', () => {
    const path = '/run/secrets';
    for (const name of SERVICE_NAMES) expect(trialOf(name).volumes).toContain(`${name}-secrets:${path}:ro`);
    const dockerfile = readFileSync(join(checkout, 'deploy/docker/Dockerfile'), 'utf8');
    expect(dockerfile).toContain(`--env-file-if-exists=${path}/scriptorium.env`);
  });
});
