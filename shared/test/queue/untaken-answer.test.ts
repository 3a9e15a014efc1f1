import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { replyList } from '../../src/queue/reply.ts';
import { startBrackets, startCapitals, startTwoSteps } from './two-steps.ts';

let queue: Awaited<ReturnType<typeof startTwoSteps>>;
beforeAll(async () => {
  queue = await startTwoSteps();
});
afterAll(() => queue.close());

test('a job whose answer Redis rejects until the deadline is reported once', async () => {
  const failed: string[] = [];
  const capitals = startCapitals(queue.url);
  const brackets = startBrackets(queue.url, {
    // Redis rejects a push to a key that is not a list.
    after: async () => void (await queue.redis.set(replyList(queue.gatewayId), 'no list')),
    failed: (requestId) => void failed.push(requestId),
  });
  await expect(queue.ask('late', { deadlineAt: Date.now() + 3_000 })).rejects.toThrow();
  const isActive = async () => (await queue.redis.llen('{scriptorium}:brackets:active')) > 0;
  while (failed.length === 0 || (await isActive())) await sleep(20);
  await Promise.all([capitals.close(), brackets.close()]);
  expect(failed).toHaveLength(1);
}, 30_000);
