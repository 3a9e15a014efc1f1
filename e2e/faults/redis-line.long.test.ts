import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, expect, test } from '@jest/globals';
import { type FaultProxy, startFaultProxy } from '@scriptorium/testing/fault-proxy';
import { ask, startCallers, tally } from '../callers.ts';
import { untilInWork } from '../remains.ts';
import { type Deployment, deploy, until } from '../service.ts';
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
let line: FaultProxy;
let keys: string[];

beforeAll(async () => {
  service = await deploy({
    converters: 2,
    async redisUrl(redis) {
      line = await startFaultProxy({ path: redis.url });
      return 'port' in line.address ? `redis://127.0.0.1:${line.address.port}` : line.address.path;
    },
  });
  keys = [await service.register(), await service.register(), await service.register()];
});
afterEach(async () => {
  line.mend();
  await untilItConverts(service, keys[0] ?? '');
  await expectNothingLeft(service);
});
afterAll(async () => {
  await service.close();
  await line.close();
});

test('a line to Redis with 300 ms delay each way makes responses late, not wrong', async () => {
  line.spoil({ delayMs: 300 });
  const callers = startCallers(service.url, keys);
  await sleep(5_000);
  await expectAllPdfs(await callers.stop());
});

test('a line to Redis that forwards bytes in slices changes nothing', async () => {
  line.spoil({ sliceBytes: 61 });
  const callers = startCallers(service.url, keys);
  await sleep(2_000);
  await expectAllPdfs(await callers.stop());
});

test('a line to Redis that breaks every second causes only 200 or 503, and recovers', async () => {
  const callers = startCallers(service.url, keys);
  let broken = 0;
  for (let cuts = 0; cuts < 6; cuts++) {
    await sleep(1_000);
    broken += line.cut();
  }
  expect(broken).toBeGreaterThan(5);
  await until('it has converted', () => (tally(callers.answers)[200] ?? 0) > 10);
  const answers = await callers.stop();
  await expectPromiseKept(answers);
  expect(
    Object.keys(tally(answers)).filter((outcome) => !['200', '503 UNAVAILABLE'].includes(outcome)),
  ).toEqual([]);
});

test('a line to Redis that drops everything for five seconds causes 503 within two, and late responses', async () => {
  const early = ask(service.url, keys[0] ?? '', LETTER);
  await untilInWork(service);
  line.spoil({ isBlackHole: true });
  const mendAt = Date.now() + 5_000;
  while (Date.now() < mendAt - 2_000) await expectUnavailable(await ask(service.url, keys[1] ?? ''));
  await sleep(mendAt - Date.now());
  line.mend();
  await untilItConverts(service, keys[1] ?? '');
  await expectPromiseKept([await early]);
});
