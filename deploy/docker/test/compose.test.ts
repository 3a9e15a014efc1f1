import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from '@jest/globals';
import { SEND_MS_MAX } from '@scriptorium/gateway/middleware/request-context';
import { type commonSettings, loadConfig, Secret } from '@scriptorium/shared/config';
import { CLOSE_MS_MAX } from '@scriptorium/shared/lifecycle';
import { connectPatient, disconnect, misconfigurations } from '@scriptorium/shared/queue/connection';
import { findRedisBinary } from '@scriptorium/testing/redis-server';
import { freePort, startProcess } from '@scriptorium/testing/server-process';
import { SERVICE_NAMES, SERVICE_SETTINGS, type ServiceName } from '../../settings.ts';
import { bytesOf, PRODUCTION, readCompose, TRIAL } from '../rehearsal/compose.ts';

const checkout = join(import.meta.dirname, '..', '..', '..');
const trial = readCompose(checkout, TRIAL);
const production = readCompose(checkout, PRODUCTION, {
  PUBLIC_URL: 'https://docs.example.com',
  SECRETS_DIR: '/s',
});
const folder = mkdtempSync(join(tmpdir(), 'scriptorium-compose-'));
afterAll(() => rmSync(folder, { recursive: true }));

/** The stop time of the slowest service. */
const { DRAIN_MS, DEADLINE_MS } = SERVICE_SETTINGS.gateway.shape;
const closingMsMax = DRAIN_MS.parse(undefined) + DEADLINE_MS.parse(undefined) + SEND_MS_MAX + CLOSE_MS_MAX;

const trialOf = (name: string) => trial.services[name] ?? {};
const productionOf = (name: string) => production.services[name] ?? {};
const environmentOf = (...layers: { environment?: Record<string, string | number> }[]) =>
  Object.fromEntries(
    layers
      .flatMap(({ environment = {} }) => Object.entries(environment))
      .map(([name, value]) => [name, String(value)]),
  );

/** The settings in a file, as Node reads them with --env-file. */
function fileSettings(path: string): Record<string, string> {
  const code = `process.loadEnvFile(${JSON.stringify(path)}); console.log(JSON.stringify(process.env))`;
  return JSON.parse(execFileSync(process.execPath, ['-e', code], { encoding: 'utf8', env: {} }));
}

/** Runs the script that generates the trial's secrets; resolves with its folder. */
function makeSecrets(name: string): string {
  const secrets = join(folder, name);
  for (const part of ['gateway', 'signer', 'telemetry', 'verifier', 'database', 'key'])
    mkdirSync(join(secrets, part), { recursive: true });
  execFileSync(join(checkout, 'deploy/docker/make-secrets.sh'), [secrets, join(secrets, 'key')]);
  return secrets;
}

function secretsOf(secrets: string, service: ServiceName): Record<string, string> {
  return readdirSync(join(secrets, service)).includes('scriptorium.env')
    ? fileSettings(join(secrets, service, 'scriptorium.env'))
    : {};
}

describe.each(SERVICE_NAMES)('the %s', (name) => {
  test('has an unknown user, a read-only file system, no capability, and limits', () => {
    expect(trialOf(name)).toMatchObject({
      user: '10001:10001',
      read_only: true,
      tmpfs: [expect.stringMatching(/^\/tmp:size=/)],
      cap_drop: ['ALL'],
      security_opt: ['no-new-privileges:true'],
      pids_limit: expect.any(Number),
      mem_limit: expect.stringMatching(/^\d+[mg]$/),
    });
    expect(Number.parseInt(trialOf(name).stop_grace_period ?? '', 10) * 1000).toBeGreaterThan(closingMsMax);
  });

  test('keeps its walls in production', () => {
    const kept = ['user', 'read_only', 'tmpfs', 'cap_drop', 'security_opt', 'pids_limit', 'mem_limit'];
    for (const key of kept) expect(Object.keys(productionOf(name))).not.toContain(key);
  });

  test('gets only settings that it knows, and all required ones, in the trial', () => {
    const secrets = ['gateway', 'signer', 'telemetry', 'verifier'].includes(name)
      ? secretsOf(makeSecrets(`trial-${name}`), name)
      : {};
    const all = { ...environmentOf(trialOf(name)), ...secrets };
    for (const key of Object.keys(all)) expect(Object.keys(SERVICE_SETTINGS[name].shape)).toContain(key);
    expect(loadConfig<typeof commonSettings>(SERVICE_SETTINGS[name] as never, all).NODE_ENV).toBe(
      'development',
    );
    expect(Object.keys(environmentOf(trialOf(name))).filter((key) => key in secrets)).toEqual([]);
  });

  test('gets only settings that it knows, and all required ones, in production', () => {
    const text = readFileSync(join(checkout, PRODUCTION), 'utf8');
    const [, names = ''] = new RegExp(`^# +${name}\\.env +(.*)$`, 'm').exec(text) ?? [];
    const examples: Record<string, string> = {
      DATABASE_URL: 'postgres://db.example.com/scriptorium',
      SMTP_URL: 'smtps://mail.example.com',
      CODE_PEPPER: '0'.repeat(64),
      SIGNER_SECRET: '0'.repeat(64),
      VERIFIER_SECRET: '1'.repeat(64),
      MAIL_FROM: 'a@example.com',
    };
    const listed = names
      .split(', ')
      .filter(Boolean)
      .map((entry) => entry.split('='));
    const secrets = Object.fromEntries(
      listed.map(([key = '', value]) => [key, value ?? examples[key] ?? '']),
    );
    const all = { ...secrets, ...environmentOf(trialOf(name), productionOf(name)) };
    for (const key of Object.keys(all)) expect(Object.keys(SERVICE_SETTINGS[name].shape)).toContain(key);
    expect(loadConfig<typeof commonSettings>(SERVICE_SETTINGS[name] as never, all).NODE_ENV).toBe(
      'production',
    );
    expect(all).not.toHaveProperty('DEVELOPMENT_KEY_DIR');
    expect(productionOf(name).secrets?.[0]?.target).toBe(listed.length > 0 ? 'scriptorium.env' : undefined);
  });
});

describe('the networks', () => {
  test('publish only on loopback, and no internal port', () => {
    const internal = SERVICE_NAMES.map((name) => SERVICE_SETTINGS[name].shape.INTERNAL_PORT.parse(undefined));
    for (const { services } of [trial, production])
      for (const port of Object.values(services).flatMap(({ ports = [] }) => ports)) {
        expect(port).toMatch(/^127\.0\.0\.1:/);
        expect(internal).not.toContain(Number(port.split(':').at(-1)));
      }
    expect(trialOf('gateway').ports).toEqual(['127.0.0.1:8080:8080']);
  });

  test('let workers that read hostile documents reach only Redis', () => {
    for (const worker of ['converter', 'annotator']) {
      const { networks = [] } = trialOf(worker);
      for (const network of networks) expect(trial.networks?.[network]).toEqual({ internal: true });
      const reached = Object.keys(trial.services).filter(
        (name) => name !== worker && trialOf(name).networks?.some((network) => networks.includes(network)),
      );
      expect(reached.sort()).toEqual(['blobs', 'queue']);
    }
    for (const name of ['queue', 'blobs'])
      for (const network of trialOf(name).networks ?? [])
        expect(trial.networks?.[network]).toEqual({ internal: true });
  });

  test('let services that fetch callers’ URLs reach the outside', () => {
    for (const name of ['gateway', 'signer'])
      expect(trialOf(name).networks).toEqual(expect.arrayContaining(['queue', 'outside']));
  });

  test('let the verifier reach Redis and the outside, but no other service', () => {
    const { networks = [] } = trialOf('verifier');
    const besides = Object.keys(trial.services).filter(
      (name) => name !== 'verifier' && trialOf(name).networks?.some((network) => networks.includes(network)),
    );
    expect(besides.sort()).toEqual(['blobs', 'queue']);
    expect(networks.filter((network) => trial.networks?.[network]?.internal !== true)).toHaveLength(1);
  });

  test('do not include the trial’s database and mail catcher in production', () => {
    for (const name of ['database', 'mail', 'secrets'])
      expect(productionOf(name).profiles).toEqual(['trial']);
    const waiting = SERVICE_NAMES.filter((name) =>
      Object.keys(trialOf(name).depends_on ?? {}).some((on) => !['queue', 'blobs'].includes(on)),
    );
    for (const name of waiting)
      expect(['queue', 'blobs']).toEqual(
        expect.arrayContaining(Object.keys(productionOf(name).depends_on ?? { none: 0 })),
      );
  });
});

describe('the guide to Docker', () => {
  const guide = readFileSync(join(checkout, 'docs/operations/docker.md'), 'utf8');

  test('requires a Docker version that supports the files', () => {
    const used = [TRIAL, 'deploy/docker/service.Dockerfile', 'deploy/docker/converter.Dockerfile'].map(
      (path) => readFileSync(join(checkout, path), 'utf8'),
    );
    for (const text of used) expect(text).toMatch(/start[-_]interval/);
    // Older versions refuse `--start-interval` and `start_interval`.
    expect(Number(/It needs Docker (\d+) or newer/.exec(guide)?.[1])).toBeGreaterThanOrEqual(25);
  });

  test('stops containers no faster than the slowest service needs', () => {
    const [, takes, given] =
      /\*\*Stopping\*\* takes a gateway up to (\d+) seconds.*docker stop -t (\d+)/.exec(guide) ?? [];
    expect(Number(takes) * 1000).toBe(closingMsMax);
    expect(Number(given) * 1000).toBeGreaterThan(closingMsMax);
  });
});

describe('memory', () => {
  test('of the converter exceeds Docker’s default for /dev/shm, within its limit', () => {
    const { shm_size, mem_limit } = trialOf('converter');
    expect(bytesOf(shm_size)).toBeGreaterThanOrEqual(512 * 2 ** 20);
    expect(bytesOf(mem_limit)).toBeGreaterThanOrEqual(2 * bytesOf(shm_size));
  });

  test.each(['queue', 'blobs'])(
    'of the Redis of %s matches the gateway’s demands, and fills before its container does',
    async (name) => {
      const [, ...args] = trialOf(name).command ?? [];
      const port = await freePort();
      const server = startProcess(
        findRedisBinary() ?? '',
        [...args, '--port', String(port), '--bind', '127.0.0.1', '--dir', folder],
        {
          argv0: 'redis-server',
        },
      );
      const redis = connectPatient(new Secret(`redis://127.0.0.1:${port}`));
      try {
        expect(await misconfigurations(redis)).toEqual([]);
        const [, maxmemory] = (await redis.config('GET', 'maxmemory')) as string[];
        expect(Number(maxmemory)).toBeGreaterThan(0);
        expect(Number(maxmemory)).toBeLessThan(bytesOf(trialOf(name).mem_limit));
      } finally {
        await disconnect(redis);
        await server.stop();
      }
    },
  );

  test('durability is enabled in the database', () => {
    expect(trialOf('database').command?.join(' ')).toContain('fsync=on');
  });
});

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

  test('has one secret in the trial, which only gateways share', () => {
    const secrets = makeSecrets('of-the-verifier');
    expect(Object.keys(secretsOf(secrets, 'verifier'))).toEqual(['VERIFIER_SECRET']);
    const { VERIFIER_SECRET: own } = secretsOf(secrets, 'verifier');
    const { VERIFIER_SECRET: shared, SIGNER_SECRET: other } = secretsOf(secrets, 'gateway');
    expect(own).toHaveLength(64);
    expect(shared).toBe(own);
    expect(other).not.toBe(own);
    expect(Object.keys(secretsOf(secrets, 'signer'))).not.toContain('VERIFIER_SECRET');
  });

  test('gets its secret where an older installation has none', () => {
    const secrets = makeSecrets('older');
    const before = secretsOf(secrets, 'gateway');
    rmSync(join(secrets, 'verifier', 'scriptorium.env'));
    makeSecrets('older');
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
  test('differ between installations, persist between starts, and are readable only by their owner', () => {
    const [one, other] = [makeSecrets('one'), makeSecrets('other')];
    const first = secretsOf(one, 'gateway');
    expect(first.CODE_PEPPER).toHaveLength(64);
    expect(secretsOf(other, 'gateway').CODE_PEPPER).not.toBe(first.CODE_PEPPER);
    makeSecrets('one');
    expect(secretsOf(one, 'gateway')).toEqual(first);
    expect(secretsOf(one, 'signer').SIGNER_SECRET).toBe(first.SIGNER_SECRET);
    expect(statSync(join(one, 'gateway', 'scriptorium.env')).mode & 0o077).toBe(0);
  });

  test('let the services into their database', () => {
    const secrets = makeSecrets('database-secrets');
    const password = readFileSync(join(secrets, 'database', 'password'), 'utf8').trim();
    for (const name of ['gateway', 'telemetry'] as const)
      expect(new URL(secretsOf(secrets, name).DATABASE_URL ?? '').password).toBe(password);
  });

  test('are mounted where the images read them, each for its own service', () => {
    const path = '/run/secrets';
    for (const name of ['gateway', 'signer', 'telemetry', 'verifier'])
      expect(trialOf(name).volumes).toContain(`${name}-secrets:${path}:ro`);
    const dockerfile = readFileSync(join(checkout, 'deploy/docker/service.Dockerfile'), 'utf8');
    expect(dockerfile).toContain(`--env-file-if-exists=${path}/scriptorium.env`);
  });
});
