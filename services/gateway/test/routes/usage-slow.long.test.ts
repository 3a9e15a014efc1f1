import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { createDatabase } from '@scriptorium/testing/postgres-server';
import { type Rig, startRig } from '../rigs/rig.ts';
import { askUsage } from '../rigs/usage-rig.ts';

const ASKED = 8;

let rig: Rig;
beforeAll(async () => {
  const name = `usage_${randomBytes(6).toString('hex')}`;
  rig = await startRig({ DATABASE_URL: await createDatabase(process.env.DATABASE_URL ?? '', name) });
});
afterAll(() => rig.close());

test('a slow usage query is aborted with an error code, and delays neither other owners nor key checks', async () => {
  const [{ key }, other, another] = [await rig.newKey(), await rig.newKey(), await rig.newKey()];
  // Simulates a count of very many documents: the query waits for it until it is aborted.
  const lock = await rig.database.connect();
  await lock.query('BEGIN');
  await lock.query('LOCK TABLE usage_counts IN ACCESS EXCLUSIVE MODE');
  const asked = Array.from({ length: ASKED }, () => askUsage(rig, key));
  const othersUsage = askUsage(rig, other.key);
  const headers = { authorization: `Bearer ${another.key}` };
  for (let i = 0; i < 5; i++) expect((await fetch(`${rig.url}/v1/auth/keys`, { headers })).status).toBe(200);
  const answers = await Promise.all([othersUsage, ...asked]);
  const codes = await Promise.all(
    answers.map(async (answer) => ((await answer.json()) as { code: string }).code),
  );
  expect(codes.slice(0, 1)).toEqual(['DEADLINE_EXCEEDED']);
  expect(codes.slice(1).sort()).toEqual(['DEADLINE_EXCEEDED', ...Array(ASKED - 1).fill('OVERLOADED')]);
  await lock.query('ROLLBACK');
  lock.release();
  expect((await askUsage(rig, key)).status).toBe(200);
}, 90_000);
