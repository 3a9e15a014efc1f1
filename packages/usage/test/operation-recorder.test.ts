import { randomBytes } from 'node:crypto';
import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from '@jest/globals';
import { migrate } from '@scriptorium/database/migrations';
import { type Database, openDatabase } from '@scriptorium/database/pool';
import { testInWhole } from '@scriptorium/testing/extent';
import { type PostgresServer, startPostgres } from '@scriptorium/testing/postgres-server';
import { operationRecorder } from '../src/operation-recorder.ts';
import { usageTable } from '../src/usage.ts';
import { storeUsage } from '../src/usage-store.ts';

let folder: string;
let postgres: PostgresServer;
let database: Database;
let owner: Buffer;
let delays: number;
let losses: number[];

const events = {
  usageDelayed: () => {
    delays += 1;
  },
  usageLost: (count: number) => void losses.push(count),
};

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'scriptorium-recorder-'));
  chmodSync(folder, 0o711);
  postgres = await startPostgres({ folder, outlives: 'stop' });
  database = openDatabase({ reveal: () => postgres.url });
  await migrate(database);
});
afterAll(async () => {
  await database.end();
  await postgres.stop();
  rmSync(folder, { recursive: true });
});
beforeEach(() => {
  owner = randomBytes(32);
  delays = 0;
  losses = [];
});
afterEach(() => postgres.start());

async function counted(): Promise<number> {
  while ((await storeUsage(database))?.occurrences !== 0);
  const range = { from: '2000-01-01', to: '9999-01-01' };
  const asked = { ...range, ownerHash: owner, groupBy: null, granularity: 'month', groupsMax: 1 } as const;
  return (await usageTable(database).read(asked)).totals.documents;
}

async function untilCounted(expected: number): Promise<void> {
  for (const end = Date.now() + 60_000; Date.now() < end; await sleep(50))
    if ((await counted()) === expected) return;
  expect(await counted()).toBe(expected);
}

test('a recorder writes at once what must not be lost', async () => {
  const recorder = operationRecorder(database, events);
  recorder.record('convert', owner, 'req_now');
  await recorder.flush();
  expect(await counted()).toBe(1);
  await recorder.flush();
  await recorder.close();
  expect(await counted()).toBe(1);
});

test('a recorder writes each operation once, even if it is recorded twice', async () => {
  const recorder = operationRecorder(database, events);
  for (const request of ['req_a', 'req_b', 'req_a']) recorder.record('convert', owner, request);
  await untilCounted(2);
  recorder.record('convert', owner, 'req_b');
  recorder.record('sign', owner, 'req_c');
  await untilCounted(3);
  await recorder.close();
  expect(losses).toEqual([]);
});

test('a recorder writes pending operations before it closes', async () => {
  const recorder = operationRecorder(database, events);
  for (let i = 0; i < 2_500; i++) recorder.record('convert', owner, `req_${i}`);
  await recorder.close();
  expect(await counted()).toBe(2_500);
  expect(losses).toEqual([]);
});

testInWhole('a recorder keeps operations while the store is down, and writes them later', async () => {
  const recorder = operationRecorder(database, events);
  await postgres.stop();
  recorder.record('convert', owner, 'req_a');
  while (delays === 0) await sleep(50);
  recorder.record('convert', owner, 'req_b');
  await postgres.start();
  await untilCounted(2);
  await recorder.close();
  expect(losses).toEqual([]);
});

testInWhole('a recorder respects its limit, and reports the number of rejected operations', async () => {
  const recorder = operationRecorder(database, events, 10);
  await postgres.stop();
  for (let i = 0; i < 25; i++) recorder.record('convert', owner, `req_${i}`);
  while (losses.length === 0) await sleep(50);
  expect(losses).toEqual([15]);
  await postgres.start();
  await untilCounted(10);
  await recorder.close();
  expect(losses).toEqual([15]);
});

test('a recorder reports lost operations if the store stays down, and closes', async () => {
  const recorder = operationRecorder(database, events);
  await postgres.stop();
  for (let i = 0; i < 3_000; i++) recorder.record('convert', owner, `req_${i}`);
  await recorder.close();
  expect(losses).toEqual([3_000]);
});
