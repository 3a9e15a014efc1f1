import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { testInWhole } from '@scriptorium/testing/extent';
import { asBuffer } from '../../src/threads/thread.ts';
import { programBeside, WorkerThreads } from '../../src/threads/worker-threads.ts';

const signal = new AbortController().signal;
const tooComplex = (why: string) => `It takes ${why}.`;

let threads: WorkerThreads<string, { thread: number; bytes: Uint8Array }>;
beforeAll(() => {
  threads = new WorkerThreads({
    program: programBeside(import.meta.url, 'telling-thread'),
    threads: 3,
    timeoutMs: 10_000,
    heapMibMax: 64,
    fail: (kind, message) => new Error(`${kind}: ${message}`),
  });
});
afterAll(() => threads.close());

const ask = (text: string, affinity?: string) =>
  threads.ask(text, { signal, tooComplex, ...(affinity !== undefined && { affinity }) });

describe('worker threads', () => {
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

  test('use any thread for a request without an affinity', async () => {
    const answers = await Promise.all(['a', 'b', 'c'].map((text) => ask(text)));
    expect(answers.map(({ bytes }) => asBuffer(bytes).toString())).toEqual(['a', 'b', 'c']);
  });

  test('reject with all details', async () => {
    await expect(ask('')).rejects.toMatchObject({
      code: 'VALIDATION_ERROR',
      message: 'The text is empty.',
      details: [{ field: 'text', issue: 'is empty' }],
    });
  });

  test('remove a caller whose wait is aborted', async () => {
    await expect(threads.ask('x', { signal: AbortSignal.abort(), tooComplex })).rejects.toThrow(/^aborted/);
  });
});

describe('a thread', () => {
  test('overwrites a document after its answer', async () => {
    const one = new WorkerThreads<object, { bytes: Uint8Array; left: Uint8Array }>({
      program: programBeside(import.meta.url, 'telling-thread'),
      threads: 1,
      timeoutMs: 10_000,
      heapMibMax: 64,
      fail: (kind, message) => new Error(`${kind}: ${message}`),
    });
    const document = Buffer.from('a canary');
    const request = { document, parts: [Buffer.from(' in its cage')] };
    const first = await one.ask(request, { signal, tooComplex });
    expect(asBuffer(first.bytes).toString()).toBe('a canary in its cage');
    // The caller's own bytes stay as they are.
    expect(document.toString()).toBe('a canary');
    const second = await one.ask(request, { signal, tooComplex });
    expect(asBuffer(second.bytes).toString()).toBe('a canary in its cage');
    expect(asBuffer(second.left).equals(Buffer.alloc(first.bytes.length))).toBe(true);
    const alone = await one.ask({ document, parts: [] }, { signal, tooComplex });
    expect(asBuffer(alone.bytes).toString()).toBe('a canary');
    await one.close();
  });

  testInWhole(
    'is replaced after its share of requests, while none fails and none waits for a start',
    async () => {
      const warmed: string[] = [];
      const some = new WorkerThreads<string, { thread: number; bytes: Uint8Array }>({
        program: programBeside(import.meta.url, 'telling-thread'),
        threads: 2,
        timeoutMs: 10_000,
        heapMibMax: 64,
        requestsMax: 20,
        warmUp() {
          warmed.push('warmed');
          return ['first'];
        },
        fail: (kind, message) => new Error(`${kind}: ${message}`),
      });
      const numbers: number[] = [];
      const endsAt = Date.now() + 20_000;
      while (new Set(numbers).size < 6 && Date.now() < endsAt) {
        const answers = await Promise.all(
          Array.from({ length: 3 }, (_, at) => some.ask(`text ${at}`, { signal, tooComplex })),
        );
        expect(answers.map(({ bytes }) => asBuffer(bytes).toString())).toEqual([
          'text 0',
          'text 1',
          'text 2',
        ]);
        numbers.push(...answers.map(({ thread }) => thread));
      }
      expect(new Set(numbers).size).toBeGreaterThanOrEqual(6);
      expect(warmed.length).toBeGreaterThanOrEqual(4);
      // The old ones are gone: at most two work, and one that is about to take over.
      expect(new Set(numbers.slice(-12)).size).toBeLessThanOrEqual(4);
      await some.close();
    },
    30_000,
  );
});
