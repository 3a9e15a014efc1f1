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
  test('give work on the same to the thread that last had it, as long as that is free', async () => {
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

  test('give what a request has no name for to any of them', async () => {
    const answers = await Promise.all(['a', 'b', 'c'].map((text) => ask(text)));
    expect(answers.map(({ bytes }) => asBuffer(bytes).toString())).toEqual(['a', 'b', 'c']);
  });

  test('refuse with every detail', async () => {
    await expect(ask('')).rejects.toMatchObject({
      code: 'VALIDATION_ERROR',
      message: 'There is no text.',
      details: [{ field: 'text', issue: 'is empty' }],
    });
  });

  test('let go of whoever gives up waiting', async () => {
    await expect(threads.ask('x', { signal: AbortSignal.abort(), tooComplex })).rejects.toThrow(/^aborted/);
  });
});
