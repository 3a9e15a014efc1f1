import { expect, test } from '@jest/globals';
import { Pool } from '../src/pool.ts';

const { signal } = new AbortController();

test('a pool serves patient callers after all others, and each kind in order of arrival', async () => {
  const pool = new Pool<string>((message) => new Error(message));
  const served: string[] = [];
  const take = async (name: string, isPatient: boolean) => {
    await pool.take(signal, { isPatient });
    served.push(name);
  };
  const callers = [
    take('patient 1', true),
    take('caller 1', false),
    take('patient 2', true),
    take('caller 2', false),
  ];
  for (const _ of callers) pool.put('item');
  await Promise.all(callers);
  expect(served).toEqual(['caller 1', 'caller 2', 'patient 1', 'patient 2']);
});

test('a pool forgets a patient caller whose wait is aborted', async () => {
  const pool = new Pool<string>((message) => new Error(message));
  const caller = new AbortController();
  const aborted = pool.take(caller.signal, { isPatient: true });
  caller.abort();
  await expect(aborted).rejects.toThrow('aborted while waiting');
  pool.put('item');
  expect(await pool.take(signal)).toBe('item');
});
