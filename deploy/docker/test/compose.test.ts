import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from '@jest/globals';
import { SERVICE_NAMES, type ServiceName } from '@scriptorium/contracts/services';
import { misconfigurations } from '@scriptorium/gateway/backends/redis-configuration';
import { SEND_MS_MAX } from '@scriptorium/gateway/settings/limits';
import { type commonSettings, loadConfig, Secret } from '@scriptorium/shared/config';
import { CLOSE_MS_MAX } from '@scriptorium/shared/lifecycle';
import { connectPatient, disconnect } from '@scriptorium/shared/queue/connection';
import { testInWhole } from '@scriptorium/testing/extent';
import { findRedisBinary } from '@scriptorium/testing/redis-server';
import { freePort, startProcess } from '@scriptorium/testing/server-process';
import { SERVICE_SETTINGS } from '../../settings.ts';
import { bytesOf, PRODUCTION, REDIS_TLS, readCompose, TRIAL } from './compose-files.ts';
import { fileSettings, makeSecrets, secretsOf } from './made-secrets.ts';

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

test.each(['compose.production.yml', 'compose.redis-tls.yml'])(
  '%s repeats what it resets: Compose before 2.27 resets nothing behind an alias',
  (file) => {
    const text = readFileSync(join(checkout, 'deploy', 'docker', file), 'utf8');
    const anchored = [...text.matchAll(/&(\w+)\n((?: {4,}.*\n)+)/g)];
    for (const [, name, block = ''] of anchored)
      if (/!(reset|override)/.test(block)) expect(text).not.toContain(`*${name}`);
  },
);

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

  testInWhole('gets only settings that it knows, and all required ones, in the trial', () => {
    const secrets = secretsOf(makeSecrets(folder, `trial-${name}`), name);
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
      CODE_PEPPER: '2'.repeat(64),
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
    const made = join(folder, `production-${name}`);
    mkdirSync(made);
    const script = join(checkout, 'deploy/docker/make-job-secrets.sh');
    execFileSync(script, [join(made, '%.env'), join(made, 'users.acl')]);
    const jobs = readdirSync(made).includes(`${name}.env`) ? fileSettings(join(made, `${name}.env`)) : {};
    const all = { ...secrets, ...jobs, ...environmentOf(trialOf(name), productionOf(name)) };
    for (const key of Object.keys(all)) expect(Object.keys(SERVICE_SETTINGS[name].shape)).toContain(key);
    expect(loadConfig<typeof commonSettings>(SERVICE_SETTINGS[name] as never, all).NODE_ENV).toBe(
      'production',
    );
    expect(all).not.toHaveProperty('DEVELOPMENT_KEY_DIR');
    expect(productionOf(name).secrets).toEqual([{ source: name, target: 'scriptorium.env' }]);
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
    const used = [TRIAL, 'deploy/docker/Dockerfile'].map((path) =>
      readFileSync(join(checkout, path), 'utf8'),
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

const ADDRESS_OF = { queue: 'REDIS_URL', blobs: 'REDIS_BLOB_URL' } as const;

testInWhole('Redis over TLS differs by its certificate only, which all services check', async () => {
  const { services } = readCompose(checkout, REDIS_TLS, { SECRETS_DIR: folder });
  execFileSync(join(checkout, 'deploy/docker/make-redis-certificates.sh'), [join(folder, 'redis')]);
  const secrets = makeSecrets(folder, 'redis-over-tls');
  for (const name of ['queue', 'blobs'] as const) {
    const { command = [], volumes, healthcheck } = services[name] ?? {};
    const plain = trialOf(name).command ?? [];
    expect(command.slice(0, plain.length)).toEqual(plain);
    expect(volumes).toEqual([`${join(folder, 'redis')}:/run/redis:ro,z`]);
    const port = await freePort();
    const here = (word: string) =>
      word
        .replace('/run/secrets', join(secrets, 'redis'))
        .replace('/run/redis', join(folder, 'redis'))
        .replace(/^6379$/, String(port));
    const args = [...command.slice(1).map(here), '--bind', '127.0.0.1', '--dir', folder];
    const server = startProcess(findRedisBinary() ?? '', args, { argv0: 'redis-server' });
    const sent = secretsOf(secrets, 'gateway')[ADDRESS_OF[name]] ?? '';
    // As the first lines of the file say.
    const address = sent.replace('redis://', 'rediss://').replace(`${name}:6379`, `127.0.0.1:${port}`);
    const { environment, volumes: mounted = [] } = services.gateway ?? {};
    const [authority] = mounted[0]?.split(':') ?? [];
    expect(mounted).toEqual([`${authority}:${environment?.REDIS_CA_FILE}:ro,z`]);
    const redis = connectPatient(new Secret(address), { REDIS_CA_FILE: authority });
    try {
      expect(await misconfigurations(redis)).toEqual([]);
      const [, program = '', ...words] = healthcheck?.test ?? [];
      const asked = execFileSync(program, ['-p', String(port), ...words.map(here)], { encoding: 'utf8' });
      expect(asked).toMatch(/PONG|NOAUTH/);
    } finally {
      await disconnect(redis);
      await server.stop();
    }
  }
  const clients = SERVICE_NAMES.filter((name) => name !== 'telemetry');
  for (const name of clients) expect(services[name]).toEqual(services.gateway);
});

describe('memory', () => {
  test('of the converter exceeds Docker’s default for /dev/shm, within its limit', () => {
    const { shm_size, mem_limit } = trialOf('converter');
    expect(bytesOf(shm_size)).toBeGreaterThanOrEqual(512 * 2 ** 20);
    expect(bytesOf(mem_limit)).toBeGreaterThanOrEqual(2 * bytesOf(shm_size));
  });

  test.each(['queue', 'blobs'] as const)(
    'of the Redis of %s matches the gateway’s demands, and fills before its container does',
    async (name) => {
      const secrets = makeSecrets(folder, `redis-of-${name}`);
      const args = (trialOf(name).command ?? [])
        .slice(1)
        .map((word) => word.replace('/run/secrets', join(secrets, 'redis')));
      const port = await freePort();
      const server = startProcess(
        findRedisBinary() ?? '',
        [...args, '--port', String(port), '--bind', '127.0.0.1', '--dir', folder],
        {
          argv0: 'redis-server',
        },
      );
      const address = new URL(secretsOf(secrets, 'gateway')[ADDRESS_OF[name]] ?? '');
      expect(address.host).toBe(`${name}:6379`);
      const of = (service: ServiceName, url = secretsOf(secrets, service).REDIS_URL ?? '') =>
        connectPatient(new Secret(Object.assign(new URL(url), { host: `127.0.0.1:${port}` }).href));
      const [redis, converter] = [of('gateway'), of('converter')];
      try {
        await redis.set('{scriptorium}:verify:req_1', 'private');
        await expect(converter.get('{scriptorium}:verify:req_1')).rejects.toThrow('NOPERM');
        expect(await converter.get('{scriptorium}:convert:req_1')).toBeNull();
        expect(await misconfigurations(redis)).toEqual([]);
        const [, maxmemory] = (await redis.config('GET', 'maxmemory')) as string[];
        expect(Number(maxmemory)).toBeGreaterThan(0);
        expect(Number(maxmemory)).toBeLessThan(bytesOf(trialOf(name).mem_limit));
      } finally {
        await Promise.all([redis, converter].map(disconnect));
        await server.stop();
      }
    },
  );

  test('durability is enabled in the database', () => {
    expect(trialOf('database').command?.join(' ')).toContain('fsync=on');
  });
});
