import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import { testInNightly, testInWhole } from '@scriptorium/testing/extent';
import { docxWith } from '@scriptorium/testing/fixtures/docx';
import { startRedis } from '@scriptorium/testing/redis-server';
import { ask, startCallers, tally } from '../callers.ts';
import { REDIS_ARGUMENTS } from '../own-settings.ts';
import { redisCommand, untilInWork } from '../remains.ts';
import { type Deployment, deploy, postDocument, until } from '../service.ts';
import {
  expectAllPdfs,
  expectNothingLeft,
  expectPromiseKept,
  expectUnavailable,
  untilItConverts,
} from './promise.ts';

/** Long enough to be still running at the fault. */
const LETTER = Array.from({ length: 4_000 }, (_, i) => `Paragraph ${i} of a letter that takes its time.`);

let service: Deployment;
let key: string;

describe('Redis', () => {
  beforeAll(async () => {
    service = await deploy();
    key = await service.register();
  });
  // If a test failed while Redis was frozen, the next test still gets a working Redis.
  afterEach(() => service.redis.resume());
  afterAll(() => service.close());

  test('frozen for five seconds causes 503 within two, and running requests are answered late', async () => {
    const early = ask(service.url, key, LETTER);
    await untilInWork(service);
    service.redis.pause();
    await expectUnavailable(await ask(service.url, key));
    await sleep(4_000);
    service.redis.resume();
    await untilItConverts(service, key);
    await expectAllPdfs([await early]);
    await expectNothingLeft(service);
  });

  testInNightly('frozen for thirty seconds causes 503 for everyone, and then recovers', async () => {
    const early = ask(service.url, key, LETTER);
    await untilInWork(service);
    service.redis.pause();
    const resumeAt = Date.now() + 30_000;
    while (Date.now() < resumeAt - 2_000) await expectUnavailable(await ask(service.url, key));
    await sleep(resumeAt - Date.now());
    service.redis.resume();
    await untilItConverts(service, key);
    await expectPromiseKept([await early]);
    // The second run of a job whose lock expired removes what the first one left.
    await expectNothingLeft(service);
  });

  testInWhole('killed and restarted empty fails running requests with 503, and then recovers', async () => {
    const early = ask(service.url, key, LETTER);
    await untilInWork(service);
    await service.redis.kill();
    await service.redis.start();
    await expectUnavailable(await early);
    await untilItConverts(service, key);
    await expectNothingLeft(service);
  });

  test('causes 503 within two seconds while unavailable, not ready but alive, and recovers by itself', async () => {
    await service.redis.stop();
    await expectUnavailable(await ask(service.url, key));
    expect((await fetch(`${service.url}/readyz`)).status).toBe(503);
    expect((await fetch(`${service.url}/livez`)).status).toBe(200);
    await service.redis.start();
    await untilItConverts(service, key);
  });

  testInWhole(
    'refuses with 503 and evicts nothing while full, and continues when there is space',
    async () => {
      const callers = startCallers(service.url, [key, key], 20);
      await untilInWork(service);
      redisCommand(service, 'SET', 'kept', 'what others store');
      redisCommand(service, 'CONFIG', 'SET', 'maxmemory', '1');
      await expectUnavailable(await ask(service.url, key));
      await sleep(2_500);
      redisCommand(service, 'CONFIG', 'SET', 'maxmemory', '0');
      expect(redisCommand(service, 'GET', 'kept')).toBe('what others store');
      await untilItConverts(service, key);
      const answers = await callers.stop();
      await expectPromiseKept(answers);
      expect(Object.keys(tally(answers)).sort()).toEqual(['200', '503 UNAVAILABLE']);
      await expectNothingLeft(service);
    },
  );

  testInWhole('whose connections break during shutdown does not prevent the shutdown', async () => {
    redisCommand(service, 'CLIENT', 'KILL', 'TYPE', 'normal');
    const ends = [service.gateway, ...service.converters].map((process) => process.end('SIGTERM'));
    expect(await Promise.all(ends)).toEqual([0, 0]);
  });
});

test('a Redis with persistence or eviction is not used for documents', async () => {
  const { url, redis, gateway, ...rest } = await deploy({ converters: 0 });
  const own = await rest.register();
  redisCommand({ redis }, 'CONFIG', 'SET', 'appendonly', 'no', 'maxmemory-policy', 'allkeys-lru');
  redisCommand({ redis }, 'CLIENT', 'KILL', 'TYPE', 'normal');
  await until(
    'the gateway notices',
    async () => (await fetch(`${url}/readyz`)).status === 503 && gateway.log().includes('noeviction'),
  );
  expect((await fetch(`${url}/v1/health`)).status).toBe(503);
  await expectUnavailable(await ask(url, own));
  await rest.close();
});

testInWhole(
  'a Redis that is absent at the start is waited for: alive, not ready, and then ready by itself',
  async () => {
    const folder = await mkdtemp(join(tmpdir(), 'scriptorium-e2e-'));
    const socket = join(folder, 'later.sock');
    const deploying = deploy({ redisUrl: async () => socket });
    await sleep(4_000);
    const redis = await startRedis({ socket, args: REDIS_ARGUMENTS });
    const late = await deploying;
    const answer = await postDocument(late.url, await late.register(), docxWith(['at last']));
    expect(answer.status).toBe(200);
    await answer.arrayBuffer();
    await late.close();
    await redis.stop();
    await rm(folder, { recursive: true });
  },
);
