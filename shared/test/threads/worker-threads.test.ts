import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, describe, expect, test } from '@jest/globals';
import { testInWhole } from '@scriptorium/testing/extent';
import { defineThread } from '../../src/threads/define-thread.ts';
import { programBeside } from '../../src/threads/worker-threads.ts';

const { signal } = new AbortController();
const tooComplex = (why: string) => `It takes ${why}.`;

let affinity = '';
const tellingThreads = defineThread<typeof import('./telling-thread.ts')>({
  module: programBeside(import.meta.url, 'telling-thread'),
  calls: { tell: tooComplex, echo: tooComplex },
  affinityOf: () => affinity,
  timeoutMs: 60_000,
  heapMibMax: 64,
  fail: (kind, message) => new Error(`${kind}: ${message}`),
});

const threads = tellingThreads({ threads: 3 });
afterAll(() => threads.close());

const ask = (text: string, like = text) => {
  affinity = like;
  return threads.tell(text, signal);
};

describe('worker threads', () => {
  test('start with the first request that no other is free for', async () => {
    const first = await ask('x');
    expect((await ask('y')).thread).toBe(first.thread);
    const together = await Promise.all(['a', 'b', 'c', 'd'].map((text) => ask(text)));
    expect(new Set(together.map(({ thread }) => thread)).size).toBe(3);
  });

  test('prefer the free thread whose last request had the same affinity', async () => {
    const first = await ask('x', 'letter');
    const other = await ask('x', 'invoice');
    expect(other.thread).not.toBe(first.thread);
    for (let i = 0; i < 5; i++) {
      expect((await ask('x', 'letter')).thread).toBe(first.thread);
      expect((await ask('x', 'invoice')).thread).toBe(other.thread);
    }
    const together = await Promise.all([1, 2, 3].map(() => ask('x', 'letter')));
    expect(new Set(together.map(({ thread }) => thread)).size).toBe(3);
  });

  test('use any thread for requests with different affinities', async () => {
    const answers = await Promise.all(['a', 'b', 'c'].map((text) => ask(text)));
    expect(answers.map(({ bytes }) => bytes.toString())).toEqual(['a', 'b', 'c']);
  });

  test('reject with all details', async () => {
    await expect(ask('')).rejects.toMatchObject({
      code: 'VALIDATION_ERROR',
      message: 'The text is empty.',
      details: [{ field: 'text', issue: 'is empty' }],
    });
  });

  test('remove a caller whose wait is aborted', async () => {
    await expect(threads.tell('x', AbortSignal.abort())).rejects.toThrow(/^aborted/);
  });
});

describe('a thread', () => {
  test('overwrites a document after its answer', async () => {
    const one = tellingThreads({ threads: 1 });
    const document = Buffer.from('a canary');
    const request = { document, parts: [Buffer.from(' in its cage')] };
    const first = await one.echo(request, signal);
    expect(first.bytes.toString()).toBe('a canary in its cage');
    // The caller's own bytes stay as they are.
    expect(document.toString()).toBe('a canary');
    const second = await one.echo(request, signal);
    expect(second.bytes.toString()).toBe('a canary in its cage');
    expect(second.left.equals(Buffer.alloc(first.bytes.length))).toBe(true);
    const alone = await one.echo({ document, parts: [] }, signal);
    expect(alone.bytes.toString()).toBe('a canary');
    await one.close();
  });

  test('lives on after its preparation', async () => {
    const one = tellingThreads({ threads: 1 });
    await one.ready();
    // A thread that throws after its answer ends after it, and its successor is not prepared.
    await sleep(200);
    expect((await one.tell('x', signal)).isReady).toBe(true);
    await one.close();
  });

  testInWhole(
    'is replaced after its share of requests, while none fails and none waits for a start',
    async () => {
      const some = tellingThreads({ threads: 2, requestsMax: 20 });
      await some.ready();
      const numbers: number[] = [];
      const endsAt = Date.now() + 120_000;
      while (new Set(numbers).size < 6 && Date.now() < endsAt) {
        const answers = await Promise.all(
          Array.from({ length: 3 }, (_, at) => some.tell(`text ${at}`, signal)),
        );
        expect(answers.map(({ bytes }) => bytes.toString())).toEqual(['text 0', 'text 1', 'text 2']);
        expect(answers.every(({ isReady }) => isReady)).toBe(true);
        numbers.push(...answers.map(({ thread }) => thread));
      }
      expect(new Set(numbers).size).toBeGreaterThanOrEqual(6);
      // The old ones are gone: at most two work, and one that is about to take over.
      expect(new Set(numbers.slice(-12)).size).toBeLessThanOrEqual(4);
      await some.close();
    },
  );
});
