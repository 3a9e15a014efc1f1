import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
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
