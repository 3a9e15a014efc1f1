import { readdirSync, readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, describe, expect, test } from '@jest/globals';
import { laneOfThreads } from '@scriptorium/shares/lane';
import { inTask } from '@scriptorium/shares/task';
import { testInWhole } from '@scriptorium/testing/extent';
import { defineThread } from '../../src/threads/define-thread.ts';
import { programBeside } from '../../src/threads/worker-threads.ts';
import type { TellingData } from './telling-thread.ts';

const { signal } = new AbortController();
const tooComplex = (why: string) => `It takes ${why}.`;

let affinity = '';
const telling: Parameters<typeof defineThread<typeof import('./telling-thread.ts')>>[0] = {
  module: programBeside(import.meta.url, 'telling-thread'),
  calls: { tell: tooComplex, echo: tooComplex, spin: tooComplex, count: tooComplex, rest: tooComplex },
  affinityOf: () => affinity,
  timeoutMs: 60_000,
  heapMibMax: 64,
  fail: (kind, message) => new Error(`${kind}: ${message}`),
};
const tellingThreads = defineThread<typeof import('./telling-thread.ts')>(telling);
const joiningThread = defineThread<typeof import('./telling-thread.ts')>({ ...telling, keepsState: true });

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
        // The successor starts on the same processors.
        await sleep(1);
      }
      expect(new Set(numbers).size).toBeGreaterThanOrEqual(6);
      // The old ones are gone: at most two work, and one that is about to take over.
      expect(new Set(numbers.slice(-12)).size).toBeLessThanOrEqual(4);
      await some.close();
    },
  );
});

describe('the time of a call', () => {
  test('is limited by the processor time of its thread, not by the clock', async () => {
    const one = tellingThreads({ threads: 1, timeoutMs: 300 });
    await one.ready();
    expect(await one.rest(900, signal)).toBe('rested');
    await expect(one.spin(60_000, signal)).rejects.toMatchObject({
      code: 'DOCUMENT_TOO_COMPLEX',
      message: 'It takes longer than the limit of 0.3 seconds.',
    });
    // Otherwise the call would pay for the start of the new thread.
    await one.ready();
    expect(await one.spin(1, signal)).toBe('spun');
    await one.close();
  });

  test('is limited alike after others have worked for its thread', async () => {
    const one = tellingThreads({ threads: 1, timeoutMs: 300 });
    await one.ready();
    await one.count(5_000, signal);
    await expect(one.spin(3_000, signal)).rejects.toMatchObject({ code: 'DOCUMENT_TOO_COMPLEX' });
    await one.close();
  });

  test('begins once its thread has started', async () => {
    const slowly = defineThread<typeof import('./telling-thread.ts'), TellingData>(telling);
    const one = slowly({ threads: 1, timeoutMs: 100, data: { startMs: 500 } });
    expect(await one.spin(1, signal)).toBe('spun');
    await one.close();
  });

  test('counts for the owner of its job: what a processor did, and no waiting', async () => {
    const one = tellingThreads({ threads: 1 });
    await one.ready();
    const spentBy = async (work: () => Promise<unknown>) => {
      let spent = 0;
      const spend = (ms: number) => {
        spent += ms;
      };
      const turn = laneOfThreads(1).enter(jobOf('ada'));
      await inTask({ turn, spend }, work);
      turn.end();
      return spent;
    };
    expect(await spentBy(() => one.spin(200, signal))).toBeGreaterThanOrEqual(200);
    expect(await spentBy(() => one.rest(600, signal))).toBeLessThan(300);
    await one.close();
  });

  test('is given up to the job of another owner: its thread runs on as the last, beside a new one', async () => {
    const one = tellingThreads({ threads: 1 });
    await one.ready();
    const lane = laneOfThreads(1);
    const ended: string[] = [];
    const during = async (owner: string, work: () => Promise<unknown>) => {
      const turn = lane.enter(jobOf(owner));
      await inTask({ turn, spend: () => {} }, work).finally(() => turn.end());
      ended.push(owner);
    };
    const caller = new AbortController();
    // It would not end before the test does.
    const long = during('ada', () => one.spin(600_000, caller.signal).catch(() => {}));
    await during('ben', () => one.tell('x', signal));
    const isLast = nices().includes(19);
    caller.abort();
    await long;
    expect({ ended, isLast }).toEqual({ ended: ['ben', 'ada'], isLast: true });
    await one.close();
  });

  test('with a state has no successor, which would not have the state: not if it is slow, and not when it has ended', async () => {
    const one = joiningThread({ threads: 1, timeoutMs: 1_000 });
    const turn = laneOfThreads(1).enter(jobOf('ada'));
    turn.giveWay();
    const before = await one.tell('x', signal);
    await inTask({ turn, spend: () => {} }, () => one.spin(500, signal));
    expect(nices()).toContain(19);
    expect((await one.tell('x', signal)).thread).toBe(before.thread);
    await expect(one.spin(60_000, signal)).rejects.toMatchObject({ code: 'DOCUMENT_TOO_COMPLEX' });
    await expect(one.tell('x', signal)).rejects.toThrow(/^unavailable/);
    await one.close();
  });

  test('of a heavy owner is not spent by the only thread, which is free for others', async () => {
    const one = tellingThreads({ threads: 1 });
    await one.ready();
    const lane = laneOfThreads(1);
    const tell = async (owner: string, isOverBudget: boolean) => {
      const turn = lane.enter(jobOf(owner, isOverBudget));
      const { thread } = await inTask({ turn, spend: () => {} }, () => one.tell('x', signal));
      turn.end();
      return thread;
    };
    const first = await tell('ben', false);
    const heavy = await tell('ada', true);
    expect(await tell('ben', false)).toBe(first);
    expect(heavy).not.toBe(first);
    expect(await tell('ada', true)).toBe(heavy);
    await one.close();
  });
});

const jobOf = (owner: string, isOverBudget = false) => ({
  ...{ owner, isOverBudget, starts: 1, stepAside: () => {} },
  anotherWaits: async () => false,
});

/** Nice values of all threads of this process. */
const nices = (): number[] =>
  readdirSync('/proc/self/task').map((id) => {
    const stat = readFileSync(`/proc/self/task/${id}/stat`, 'latin1');
    return Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[16]);
  });
