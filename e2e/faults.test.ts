import { execFileSync } from 'node:child_process';
import { chmodSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import { docxWith } from '@scriptorium/shared/testing/fixtures/docx';
import { type PostgresServer, startPostgres } from '@scriptorium/shared/testing/postgres-server';
import { type Deployment, deploy, health, until } from './service.ts';

let service: Deployment;
afterEach(() => service?.close());

/** Long enough that it is still in work when the test strikes. */
const longDocument = docxWith(
  Array.from({ length: 4_000 }, (_, i) => `Paragraph ${i} of a long letter that takes its time.`),
);

const inWork = (deployment: Deployment) =>
  Number(
    execFileSync('redis-cli', ['-s', deployment.redis.url, 'LLEN', '{scriptorium}:convert:active'], {
      encoding: 'utf8',
    }),
  ) > 0;

async function expectPdf(answer: Promise<Response>): Promise<void> {
  const response = await answer;
  const bytes = Buffer.from(await response.arrayBuffer());
  expect({ status: response.status, head: bytes.subarray(0, 5).toString() }).toEqual({
    status: 200,
    head: '%PDF-',
  });
}

async function expectUnavailable(answer: Promise<Response>, withinMs: number): Promise<void> {
  const startedAt = Date.now();
  const response = await answer;
  expect(Date.now() - startedAt).toBeLessThan(withinMs);
  expect(response.status).toBe(503);
  expect(response.headers.get('retry-after')).not.toBeNull();
  expect(await response.json()).toMatchObject({ code: 'UNAVAILABLE' });
}

/** Process ids of the descendants of a process. */
function descendants(pid: number): number[] {
  const parents = new Map<number, number>();
  for (const name of readdirSync('/proc').filter((entry) => /^\d+$/.test(entry)))
    try {
      const stat = readFileSync(`/proc/${name}/stat`, 'utf8');
      parents.set(Number(name), Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1]));
    } catch {
      // It ended meanwhile.
    }
  const of = (parent: number): number[] =>
    [...parents].filter(([, p]) => p === parent).flatMap(([child]) => [child, ...of(child)]);
  return of(pid);
}

describe('a converter', () => {
  test('killed in the middle of a conversion loses nothing: another one takes the job', async () => {
    service = await deploy();
    const key = await service.register();
    const answer = service.convert(key, longDocument);
    await until('the job is in work', () => inWork(service));
    await service.converters[0]?.end('SIGKILL');
    await service.addConverter();
    await expectPdf(answer);
  }, 90_000);

  test('whose engine is killed in the middle of a conversion answers all the same', async () => {
    service = await deploy();
    const key = await service.register();
    const answer = service.convert(key, longDocument);
    await until('the job is in work', () => inWork(service));
    for (const pid of descendants(service.converters[0]?.child.pid ?? 0)) process.kill(pid, 'SIGKILL');
    await expectPdf(answer);
    await expectPdf(service.convert(key, docxWith(['and the next one'])));
  }, 90_000);

  test('asked to stop finishes what it has begun', async () => {
    service = await deploy({ converters: 1 });
    const key = await service.register();
    const answer = service.convert(key, longDocument);
    await until('the job is in work', () => inWork(service));
    expect(await service.converters[0]?.end('SIGTERM')).toBe(0);
    await expectPdf(answer);
  }, 90_000);

  test('that is missing makes the service degraded, and a later one is found', async () => {
    service = await deploy();
    const key = await service.register();
    await service.converters[0]?.end('SIGTERM');
    await until('the loss is noticed', async () => (await health(service.url)).status === 'degraded');
    const answer = service.convert(key, docxWith(['patience']));
    await service.addConverter();
    await expectPdf(answer);
  }, 90_000);
});

describe('Redis', () => {
  test('killed and started empty fails what is in work with 503, and then all is well', async () => {
    service = await deploy();
    const key = await service.register();
    const answer = service.convert(key, longDocument);
    await until('the job is in work', () => inWork(service));
    await service.redis.kill();
    await service.redis.start();
    await expectUnavailable(answer, 4_000);
    await until(
      'it converts again',
      async () => (await service.convert(key, docxWith(['again']))).status === 200,
      10_000,
    );
  }, 90_000);

  test('away means 503 within two seconds, and recovery by itself', async () => {
    service = await deploy();
    const key = await service.register();
    await service.convert(key, docxWith(['before']));
    await service.redis.stop();
    await expectUnavailable(service.convert(key, docxWith(['during'])), 2_000);
    expect((await fetch(`${service.url}/readyz`)).status).toBe(503);
    expect((await fetch(`${service.url}/livez`)).status).toBe(200);
    await service.redis.start();
    await until(
      'it converts again',
      async () => (await service.convert(key, docxWith(['after']))).status === 200,
      5_000,
    );
  }, 90_000);

  test('that stands still means 503 within two seconds, and what was in work is answered late', async () => {
    service = await deploy();
    const key = await service.register();
    const early = service.convert(key, longDocument);
    await until('the job is in work', () => inWork(service));
    service.redis.pause();
    await expectUnavailable(service.convert(key, docxWith(['during'])), 2_000);
    await new Promise((resolve) => setTimeout(resolve, 3_000));
    service.redis.resume();
    await expectPdf(early);
    await until(
      'it converts again',
      async () => (await service.convert(key, docxWith(['after']))).status === 200,
      5_000,
    );
  }, 90_000);

  test('whose connections break just when everything stops keeps nothing from ending', async () => {
    service = await deploy();
    execFileSync('redis-cli', ['-s', service.redis.url, 'CLIENT', 'KILL', 'TYPE', 'normal']);
    const ends = [service.gateway, ...service.converters].map((process) => process.end('SIGTERM'));
    expect(await Promise.all(ends)).toEqual([0, 0]);
  }, 40_000);

  test('that is full refuses with 503 and forgets nothing, and works on when there is room', async () => {
    service = await deploy();
    const key = await service.register();
    const redis = (...words: string[]) => execFileSync('redis-cli', ['-s', service.redis.url, ...words]);
    redis('CONFIG', 'SET', 'maxmemory', '1');
    await expectUnavailable(service.convert(key, docxWith(['no room'])), 2_000);
    redis('CONFIG', 'SET', 'maxmemory', '0');
    await until(
      'it converts again',
      async () => (await service.convert(key, docxWith(['room']))).status === 200,
      5_000,
    );
  }, 90_000);

  test('with persistence or eviction is not used for documents', async () => {
    service = await deploy();
    const key = await service.register();
    const redis = (...words: string[]) => execFileSync('redis-cli', ['-s', service.redis.url, ...words]);
    redis('CONFIG', 'SET', 'appendonly', 'no', 'maxmemory-policy', 'allkeys-lru');
    redis('CLIENT', 'KILL', 'TYPE', 'normal');
    await until(
      'the gateway notices',
      async () => {
        const { status } = await fetch(`${service.url}/readyz`);
        return status === 503 && service.gateway.log().includes('noeviction');
      },
      10_000,
    );
    expect((await fetch(`${service.url}/v1/health`)).status).toBe(503);
    await expectUnavailable(service.convert(key, docxWith(['not stored'])), 2_000);
  }, 90_000);
});

describe('PostgreSQL', () => {
  let folder: string;
  let postgres: PostgresServer;
  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'scriptorium-postgres-'));
    chmodSync(folder, 0o711);
    postgres = await startPostgres({ folder, durable: false });
  });
  afterAll(async () => {
    await postgres.stop();
    rmSync(folder, { recursive: true });
  });

  test('away means 503 within two seconds for keys that are not remembered, and recovery by itself', async () => {
    service = await deploy({ settings: { DATABASE_URL: postgres.url } });
    const known = await service.register();
    const unknown = await service.register();
    await expectPdf(service.convert(known, docxWith(['remembered'])));
    await postgres.stop();
    await expectPdf(service.convert(known, docxWith(['still remembered'])));
    await expectUnavailable(service.convert(unknown, docxWith(['not remembered'])), 2_000);
    expect((await fetch(`${service.url}/readyz`)).status).toBe(503);
    await postgres.start();
    await until(
      'it answers again',
      async () => (await service.convert(unknown, docxWith(['again']))).status === 200,
      5_000,
    );
  }, 90_000);

  test('away at the start is waited for', async () => {
    await postgres.stop();
    const deploying = deploy({ settings: { DATABASE_URL: postgres.url } });
    await new Promise((resolve) => setTimeout(resolve, 2_000));
    await postgres.start();
    service = await deploying;
    expect((await health(service.url)).status).toBe('healthy');
  }, 90_000);
});

test('a burst over every limit is answered in full: with a PDF, or 429 or 503 that say when to come back', async () => {
  service = await deploy({ settings: { KEY_CONCURRENCY_MAX: '6', ENGINES: '2' } });
  const keys = await Promise.all(Array.from({ length: 10 }, () => service.register()));
  const answers = await Promise.all(
    Array.from({ length: 100 }, (_, i) => service.convert(keys[i % 10] ?? '', docxWith([`burst ${i}`]))),
  );
  const statuses = answers.map((answer) => answer.status);
  expect(statuses.every((status) => status === 200 || status === 429 || status === 503)).toBe(true);
  expect(statuses.filter((status) => status === 200).length).toBeGreaterThanOrEqual(60);
  for (const answer of answers.filter(({ status }) => status !== 200))
    expect(Number(answer.headers.get('retry-after'))).toBeGreaterThan(0);
  for (const answer of answers) await answer.arrayBuffer();
}, 90_000);
