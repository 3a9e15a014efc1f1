import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { replyList } from '../../src/queue/reply.ts';
import { startBrackets, startCapitals, startTwoSteps } from './two-steps.ts';

let queue: Awaited<ReturnType<typeof startTwoSteps>>;
beforeAll(async () => {
  queue = await startTwoSteps();
});
afterAll(() => queue.close());

test('A job whose answer Redis does not take until its deadline is told of once', async () => {
  const told: string[] = [];
  const capitals = startCapitals(queue.url);
  const brackets = startBrackets(queue.url, {
    // A list of answers that is none takes no answer.
    after: async () => void (await queue.redis.set(replyList(queue.gatewayId), 'no list')),
    failed: (requestId) => void told.push(requestId),
  });
  await expect(queue.ask('late', { deadlineAt: Date.now() + 3_000 })).rejects.toThrow();
  const isActive = async () => (await queue.redis.llen('{scriptorium}:brackets:active')) > 0;
  while (told.length === 0 || (await isActive())) await sleep(20);
  await Promise.all([capitals.close(), brackets.close()]);
  expect(told).toHaveLength(1);
}, 30_000);
