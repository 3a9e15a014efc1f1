import { setImmediate as soon } from 'node:timers/promises';
import { expect, test } from '@jest/globals';
import { createKeyedLimiter } from '../../src/limits/keyed-limiter.ts';

const forever = new AbortController().signal;

/** Tasks that end on demand, and the list of started ones. */
function bench(concurrencyMax: number) {
  const limiter = createKeyedLimiter(concurrencyMax);
  const begun: string[] = [];
  const ends = new Map<string, () => void>();
  const ask = (key: string, label: string, signal = forever) =>
    limiter.run(key, signal, () => {
      begun.push(label);
      return new Promise<string>((resolve, reject) => {
        ends.set(label, () => (label.startsWith('bad') ? reject(new Error(label)) : resolve(label)));
      });
    });
  const end = async (label: string): Promise<void> => {
    ends.get(label)?.();
    await soon();
  };
  return { begun, ask, end };
}

test('a limiter runs tasks up to its limit, one per key, and a waiting key does not delay other keys', async () => {
  const { begun, ask, end } = bench(2);
  const answers = [ask('a', 'a1'), ask('a', 'a2'), ask('a', 'a3'), ask('b', 'b1'), ask('c', 'c1')];
  await soon();
  expect(begun).toEqual(['a1', 'b1']);
  await end('b1');
  expect(begun).toEqual(['a1', 'b1', 'c1']);
  await end('a1');
  expect(begun).toEqual(['a1', 'b1', 'c1', 'a2']);
  await end('a2');
  await end('a3');
  await end('c1');
  expect(await Promise.all(answers)).toEqual(['a1', 'a2', 'a3', 'b1', 'c1']);
});

test('a new key is served before a key that has just been served', async () => {
  const { begun, ask, end } = bench(1);
  const answers = [ask('a', 'a1'), ask('a', 'a2'), ask('a', 'a3'), ask('b', 'b1'), ask('b', 'b2')];
  for (const label of ['a1', 'b1', 'a2', 'b2', 'a3']) {
    await soon();
    await end(label);
  }
  expect(await Promise.all(answers)).toEqual(['a1', 'a2', 'a3', 'b1', 'b2']);
  expect(begun).toEqual(['a1', 'b1', 'a2', 'b2', 'a3']);
});

test('a limiter releases the slots of failed and aborted tasks', async () => {
  const { begun, ask, end } = bench(1);
  const bad = ask('a', 'bad');
  const leaving = new AbortController();
  const left = ask('b', 'left', leaving.signal);
  const last = ask('c', 'last');
  leaving.abort(new Error('gone'));
  await expect(left).rejects.toThrow('gone');
  const failed = expect(bad).rejects.toThrow('bad');
  await end('bad');
  await failed;
  expect(begun).toEqual(['bad', 'last']);
  await end('last');
  expect(await last).toBe('last');
  await expect(ask('a', 'late', leaving.signal)).rejects.toThrow('gone');
});
