import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import { WorkerKeys } from '@scriptorium/sealing/job-keys';
import type { Secrets } from '@scriptorium/sealing/secret-bytes';
import type { Closeable } from '../../src/lifecycle.ts';
import { replyList } from '../../src/queue/reply.ts';
import { workerSealing } from '../../src/queue/sealing.ts';
import { type StepName, secretOf, startStep, startSteps } from './steps.ts';

let queue: Awaited<ReturnType<typeof startSteps>>;
const workers: Closeable[] = [];

const start = (step: StepName, options?: Parameters<typeof startStep>[2]) =>
  void workers.push(startStep(queue.url, step, options));

beforeAll(async () => {
  queue = await startSteps();
});
afterEach(async () => {
  await Promise.all(workers.splice(0).map((worker) => worker.close()));
  queue.errors.splice(0);
});
afterAll(() => queue.close());

/** The names and values of everything in Redis, as one text. */
async function everythingInRedis(): Promise<string> {
  const texts: string[] = [];
  for (const key of await queue.redis.keys('*')) {
    texts.push(key);
    const type = await queue.redis.type(key);
    if (type === 'string') texts.push((await queue.redis.get(key)) ?? '');
    if (type === 'list')
      texts.push(...(await queue.redis.lrangeBuffer(key, 0, -1)).map((each) => each.toString('latin1')));
    if (type === 'hash') texts.push(JSON.stringify(await queue.redis.hgetall(key)));
    if (type === 'stream') texts.push(JSON.stringify(await queue.redis.xrange(key, '-', '+')));
  }
  return texts.join('\n');
}

/** The parsed data of the only job of a queue. */
async function jobAt(step: StepName): Promise<{ id: string; data: Record<string, unknown> }> {
  for (let attempt = 0; attempt < 3_000; attempt++) {
    const [key] = await queue.redis.keys(`{scriptorium}:${step}:req_*`);
    if (key !== undefined) {
      const data = JSON.parse((await queue.redis.hget(key, 'data')) ?? '{}') as Record<string, unknown>;
      return { id: key.slice(key.lastIndexOf(':') + 1), data };
    }
    await sleep(20);
  }
  throw new Error(`no job is at ${step}`);
}

/** Sends a reply as an intruder that has the secret of this role. */
async function answerAs(queueName: string, secret: Secrets, requestId: string, more: object): Promise<void> {
  const now = Date.now();
  const success = {
    ok: true,
    requestId,
    output: {},
    trail: [],
    blobs: [],
    startedAt: now,
    runMs: 1,
    ...more,
  };
  const text = workerSealing(queueName, secret).reply(success as never);
  await queue.redis.rpush(replyList(queue.gatewayId), text);
}

describe('what passes Redis', () => {
  test('is encrypted in every step, and nothing of a text is in it', async () => {
    const seen: string[] = [];
    const look = async () => void seen.push(await everythingInRedis());
    start('capitals', { before: look, after: look });
    start('brackets', { before: look, after: look });
    start('stamps', { before: look, after: look });
    const asked = queue.ask('a canary sings', {}, { signs: '<>', stamp: 'by-canary-stamp' });
    expect((await asked).answer).toBe('<A CANARY SINGS>by-canary-stamp');
    expect(seen).toHaveLength(6);
    for (const text of seen) {
      // The request is in what was seen, but not its words, the sizes of its blobs or its outputs.
      expect(text).toContain('req_');
      expect(text).not.toMatch(/canary/i);
      expect(text).not.toMatch(/letters|"seal"|"bytes"/);
    }
  });

  test('does not open for a worker of another role, and its step is not forwarded', async () => {
    start('capitals', { secret: secretOf('converter') });
    const caller = new AbortController();
    const asked = queue.ask('secret', { signal: caller.signal });
    const refused = expect(asked).rejects.toMatchObject({ code: 'DEADLINE_EXCEEDED' });
    // The refusal was sealed by the wrong role, so it does not count either.
    while (queue.errors.length === 0) await sleep(20);
    caller.abort();
    await refused;
    expect(queue.errors.map(String)).toEqual([expect.stringContaining('cannot be opened')]);
  });

  test.each([
    ['a later step', 'brackets', 'converter'],
    ['the last step', 'stamps', 'signer'],
  ] as const)('for %s is closed to the workers before it', async (_name, step, role) => {
    start('capitals');
    if (step === 'stamps') start('brackets');
    const caller = new AbortController();
    const asked = queue.ask('x', { signal: caller.signal }, { stamp: '!' });
    asked.catch(() => undefined);
    const { id, data } = await jobAt(step);
    const from = String(data.from);
    for (const other of ['annotator', 'converter', 'signer', 'verifier'] as const) {
      const open = () => new WorkerKeys(secretOf(other), step).openInput(id, from, data.input);
      if (other === role) expect(open()).toMatchObject({ stamp: expect.anything() });
      else expect(open).toThrow('cannot be opened');
    }
    // Nor does the output of the first step open for those after it.
    expect(JSON.stringify(data.trail)).not.toContain('letters');
    caller.abort();
    await asked.catch(() => undefined);
  });
});

describe('a forged job', () => {
  test.each([
    [
      'in plain',
      (data: object) => ({
        ...data,
        input: { source: { key: 'x', bytes: 1 }, stamp: { key: 'y', bytes: 1 } },
      }),
    ],
    ['that claims to be of the gateway', (data: object) => ({ ...data, from: undefined })],
    ['that claims another step', (data: object) => ({ ...data, from: 'capitals' })],
    ['of another request', (data: object) => ({ ...data, requestId: 'req_other' })],
  ])('%s is not processed', async (_name, forge) => {
    start('capitals');
    start('brackets');
    const asked = queue.ask('x', { deadlineAt: Date.now() + 6_000 }, { stamp: '!' });
    asked.catch(() => undefined);
    const { id, data } = await jobAt('stamps');
    await queue.redis.hset(`{scriptorium}:stamps:${id}`, 'data', JSON.stringify(forge(data)));
    let processed = 0;
    start('stamps', {
      before: () => {
        processed += 1;
      },
    });
    await expect(asked).rejects.toMatchObject({ code: expect.stringMatching(/INTERNAL_ERROR|DEADLINE/) });
    expect(processed).toBe(0);
  });
});

describe('a forged answer', () => {
  const forged = { output: { result: { key: 'forged', bytes: 6 } } };

  test.each([
    [
      'in plain',
      async (id: string) => {
        const plain = { ok: true, requestId: id, ...forged, trail: [], blobs: [], startedAt: 1, runMs: 1 };
        await queue.redis.rpush(replyList(queue.gatewayId), JSON.stringify(plain));
      },
      /invalid|expected/i,
    ],
    [
      'by a worker of another role',
      (id: string) => answerAs('verify-all', secretOf('verifier'), id, forged),
      /unknown queue/,
    ],
    [
      'under the name of another queue',
      (id: string) => answerAs('stamps', secretOf('converter'), id, forged),
      /cannot be opened/,
    ],
    [
      'by an earlier step, as if it were the last',
      (id: string) =>
        answerAs('capitals', secretOf('annotator'), id, {
          ...forged,
          trail: [
            { output: '', runMs: 1 },
            { output: '', runMs: 1 },
          ],
        }),
      /answered for/,
    ],
    [
      'of another request',
      async (id: string) => {
        const { box } = JSON.parse(
          workerSealing('stamps', secretOf('signer')).reply({
            ok: true,
            requestId: 'req_other',
            ...forged,
            trail: [],
            blobs: [],
            startedAt: 1,
            runMs: 1,
          }),
        ) as { box: string };
        await queue.redis.rpush(
          replyList(queue.gatewayId),
          JSON.stringify({ requestId: id, queue: 'stamps', box }),
        );
      },
      /cannot be opened/,
    ],
  ] as const)('%s is refused, and the true one counts', async (_name, forge, reason) => {
    start('capitals');
    start('brackets');
    const asked = queue.ask('x', {}, { stamp: '!' });
    const { id } = await jobAt('stamps');
    await forge(id);
    await sleep(100);
    start('stamps');
    expect((await asked).answer).toBe('[X]!');
    expect(queue.errors.map(String)).toEqual([expect.stringMatching(reason)]);
  });

  test('of a middle step cannot replace the output of another one', async () => {
    start('capitals');
    start('brackets');
    const asked = queue.ask('x', {}, { stamp: '!' });
    const { id, data } = await jobAt('stamps');
    const trail = [
      { output: new WorkerKeys(secretOf('converter'), 'brackets').sealOutput(id, { letters: 9 }), runMs: 1 },
    ];
    await queue.redis.hset(
      `{scriptorium}:stamps:${id}`,
      'data',
      JSON.stringify({ ...data, trail: [...trail, ...(data.trail as object[]).slice(1)] }),
    );
    start('stamps');
    await expect(asked).rejects.toThrow('cannot be opened');
  });
});
