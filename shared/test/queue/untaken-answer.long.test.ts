import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { NEAR_BYTES_MAX } from '../../src/blob/store.ts';
import { replyList } from '../../src/queue/reply.ts';
import { startStep, startSteps } from './steps.ts';

let queue: Awaited<ReturnType<typeof startSteps>>;
beforeAll(async () => {
  queue = await startSteps();
});
afterAll(() => queue.close());

test('a result for which a full Redis has no room causes a retryable error', async () => {
  const capitals = startStep(queue.url, 'capitals');
  const brackets = startStep(queue.url, 'brackets', {
    after: async () => {
      await queue.redis.config('SET', 'maxmemory', '1mb');
      setTimeout(() => void queue.redis.config('SET', 'maxmemory', '0'), 8_000);
    },
  });
  // A near result takes the place of its inputs, for which there was room.
  const asked = queue.ask('no room '.repeat(NEAR_BYTES_MAX / 8 + 1), { deadlineAt: Date.now() + 60_000 });
  await expect(asked).rejects.toMatchObject({ code: 'UNAVAILABLE' });
  await Promise.all([capitals.close(), brackets.close()]);
  for (const until = Date.now() + 60_000; (await queue.remains()).length > 0 && Date.now() < until; )
    await sleep(20);
  expect(await queue.remains()).toEqual([]);
});

test('a job whose answer Redis rejects until the deadline is reported once', async () => {
  const failed: string[] = [];
  const capitals = startStep(queue.url, 'capitals');
  const brackets = startStep(queue.url, 'brackets', {
    // Redis rejects a push to a key that is not a list.
    after: async () => void (await queue.redis.set(replyList(queue.gatewayId), 'no list')),
    failed: (requestId) => void failed.push(requestId),
  });
  await expect(queue.ask('late', { deadlineAt: Date.now() + 8_000 })).rejects.toThrow();
  const isActive = async () => (await queue.redis.llen('{scriptorium}:brackets:active')) > 0;
  while (failed.length === 0 || (await isActive())) await sleep(20);
  await Promise.all([capitals.close(), brackets.close()]);
  expect(failed).toHaveLength(1);
});
