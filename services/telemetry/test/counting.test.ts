import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { openDatabase } from '@scriptorium/database/pool';
import { Secret } from '@scriptorium/shared/config';
import { appendUsage, documentOf, type UsageEntry } from '@scriptorium/usage/inbox';
import { licenseTable } from '@scriptorium/usage/licenses';
import { type OperationRecorder, operationRecorder } from '@scriptorium/usage/operations';
import { type Granularity, type UsageGroup, usageTable } from '@scriptorium/usage/read';
import { storeUsage } from '@scriptorium/usage/store';
import { behindProxy, countsOf, payloadOf, type Rig, startRig, until, untilCounted } from './rig.ts';

const DAY_MS = 86_400_000;
const OWNER = Buffer.alloc(32, 7);

let rig: Rig;
beforeAll(async () => {
  rig = await startRig();
  await rig.database.query(
    `INSERT INTO api_keys (id, key_hash, owner_hash, last4) VALUES ('key_owner', '\\x00', $1, 'last')`,
    [OWNER],
  );
});
afterAll(() => rig.close());

/** Writes opens like the collector, with any time. */
const opened = (license: string, ...opens: [at: string, id: string][]): UsageEntry => ({
  license,
  opens: opens.map(([at, id]) => [Date.parse(at), documentOf(id)]),
});

async function assign(license: string, metadataKeys: string[] = []): Promise<void> {
  await licenseTable(rig.database).put(license, { apiKeyId: 'key_owner', metadataKeys });
}

const ask = (groupBy: UsageGroup, from: string, to: string, granularity: Granularity = 'day') =>
  usageTable(rig.database).read({
    ownerHash: OWNER,
    groupBy,
    from,
    to,
    granularity,
    groupsMax: 2_000,
  });

describe('document opens', () => {
  test('count each document once and each open', async () => {
    await rig.open('acme', ['a', 'b', 'a']);
    await rig.open('acme', ['a']);
    await rig.open('other', ['a']);
    expect(await countsOf(rig.database, 'acme')).toEqual({ documents: 2, opens: 4 });
    expect(await countsOf(rig.database, 'other')).toEqual({ documents: 1, opens: 1 });
  });

  test('count a document once per month and day, in any order of arrival', async () => {
    await assign('months');
    await appendUsage(rig.database, [
      opened(
        'months',
        ['2026-03-01T00:00:00Z', 'x'],
        ['2026-02-28T23:59:59.999Z', 'x'],
        ['2026-02-03T12:00:00Z', 'y'],
      ),
    ]);
    await untilCounted(rig.database);
    await appendUsage(rig.database, [
      opened('months', ['2026-02-03T11:00:00Z', 'y'], ['2026-01-31T00:00:00Z', 'x']),
    ]);
    await untilCounted(rig.database);
    const row = (start: string, documents: number, opens: number) => ({
      start,
      group: null,
      documents,
      opens,
    });
    const quarter = await ask(null, '2026-01-01', '2026-04-01', 'month');
    expect(quarter.periods).toEqual([
      row('2026-01-01', 1, 1),
      row('2026-02-01', 2, 3),
      row('2026-03-01', 1, 1),
    ]);
    expect((await ask(null, '2026-02-01', '2026-03-01')).periods).toEqual([
      row('2026-02-03', 1, 2),
      row('2026-02-28', 1, 1),
    ]);
    expect(quarter.totals).toEqual({ documents: 2, opens: 5 });
    expect((await ask(null, '2026-02-04', '2026-03-01')).totals).toEqual({ documents: 1, opens: 1 });
    expect(await countsOf(rig.database, 'months')).toEqual({ documents: 2, opens: 5 });
  });

  test('record the first and the last open of a document', async () => {
    await appendUsage(rig.database, [opened('seen', ['2026-05-04T12:00:00Z', 'd'])]);
    await untilCounted(rig.database);
    await appendUsage(rig.database, [
      opened('seen', ['2026-05-02T12:00:00Z', 'd'], ['2026-05-09T12:00:00Z', 'd']),
    ]);
    await untilCounted(rig.database);
    const { rows } = await rig.database.query(
      'SELECT first_seen, last_seen, opens FROM usage_document_months WHERE document = $1',
      [documentOf('d')],
    );
    expect(rows).toEqual([
      { first_seen: new Date('2026-05-02T12:00:00Z'), last_seen: new Date('2026-05-09T12:00:00Z'), opens: 3 },
    ]);
  });

  test('with a wrong clock count within 48 hours of now', async () => {
    const now = Date.now();
    await rig.open('skewed', ['past'], { at: '2001-01-01T00:00:00.000Z' });
    await rig.open('skewed', ['future'], { at: '2099-01-01T00:00:00.000Z' });
    await untilCounted(rig.database);
    const { rows } = await rig.database.query<{ first_seen: Date }>(
      'SELECT first_seen FROM usage_document_months WHERE document = ANY($1) ORDER BY first_seen',
      [[documentOf('past'), documentOf('future')]],
    );
    const offsets = rows.map(({ first_seen }) => (first_seen.getTime() - now) / DAY_MS);
    expect(offsets).toEqual([expect.closeTo(-2, 2), expect.closeTo(2, 2)]);
  });

  test('of an unregistered license belong to it after its registration', async () => {
    await rig.open('late-comer', ['a']);
    await untilCounted(rig.database);
    await assign('late-comer');
    await rig.open('late-comer', ['a', 'b']);
    expect(await countsOf(rig.database, 'late-comer')).toEqual({ documents: 2, opens: 3 });
  });

  test('are grouped only by the metadata that the operator configured', async () => {
    await assign('labelled', ['team', 'n']);
    const at = '2026-07-01T12:00:00Z';
    const entry = (metadata: [string, string][], ids: string[]): UsageEntry => ({
      ...opened('labelled', ...ids.map((id): [string, string] => [at, id])),
      metadata,
    });
    await appendUsage(rig.database, [
      entry(
        [
          ['team', 'legal'],
          ['user', 'u1'],
        ],
        ['1', '2'],
      ),
      entry(
        [
          ['team', 'sales'],
          ['user', 'u2'],
        ],
        ['2'],
      ),
      entry([['user', 'u3']], ['3']),
    ]);
    await untilCounted(rig.database);
    const by = async (key: string) => (await ask({ by: 'metadata', key }, '2026-07-01', '2026-08-01')).groups;
    expect(await by('team')).toEqual([
      { group: 'legal', documents: 2, opens: 2 },
      { group: 'sales', documents: 1, opens: 1 },
    ]);
    expect(await by('user')).toEqual([]);
    await appendUsage(rig.database, [
      entry([['n', 'first']], ['1']),
      ...Array.from({ length: 1_100 }, (_, i) => entry([['n', `v${i}`]], ['1'])),
    ]);
    await untilCounted(rig.database);
    const values = await by('n');
    expect(values).toHaveLength(1_001);
    expect(values).toContainEqual({ group: '(other)', documents: 1, opens: 101 });
  });
});

describe('API operations', () => {
  const trouble: unknown[] = [];
  const recorder = (url = rig.databaseUrl): { recorder: OperationRecorder; close(): Promise<void> } => {
    const database = openDatabase(new Secret(url));
    const made = operationRecorder(database, {
      usageDelayed: (error) => trouble.push(error),
      usageLost: (count) => trouble.push(count),
    });
    return {
      recorder: made,
      async close() {
        await made.close();
        await database.end();
      },
    };
  };
  const today = () => new Date().toISOString().slice(0, 10);
  const tomorrow = () => new Date(Date.now() + DAY_MS).toISOString().slice(0, 10);
  const byOperation = async () => (await ask({ by: 'operation' }, today(), tomorrow())).periods;

  test('count once per request, even if they are recorded several times', async () => {
    const { recorder: here, close } = recorder();
    for (const request of ['req_1', 'req_2', 'req_1']) here.record('convert', OWNER, request);
    here.record('sign', OWNER, 'req_3');
    await close();
    const again = recorder();
    again.recorder.record('convert', OWNER, 'req_1');
    await again.close();
    await untilCounted(rig.database);
    const rows = await byOperation();
    expect(rows).toContainEqual({ start: today(), group: 'convert', documents: 2, opens: 2 });
    expect(rows).toContainEqual({ start: today(), group: 'sign', documents: 1, opens: 1 });
    expect(trouble).toEqual([]);
  });

  test('are written when the store is available again', async () => {
    const { proxy, url } = await behindProxy(rig.databaseUrl);
    proxy.spoil({ isBlackHole: true });
    const { recorder: here, close } = recorder(url);
    here.record('verify', OWNER, 'req_4');
    await until('the failure is reported', async () => trouble.length > 0);
    proxy.mend();
    await until('the operation is counted', async () =>
      (await byOperation()).some(({ group, opens }) => group === 'verify' && opens === 1),
    );
    await close();
    await proxy.close();
  });
});

describe('several consumers', () => {
  test('count at the same time, and each open once', async () => {
    const crowd = await startRig({ TELEMETRY_ROLE: 'collector' });
    const databases = Array.from({ length: 4 }, () => openDatabase(new Secret(crowd.databaseUrl)));
    try {
      let isOver = false;
      const counting = databases.map(async (database) => {
        while (!isOver) await storeUsage(database);
      });
      const documents = Array.from({ length: 40 }, (_, i) => `d${i}`);
      for (let round = 0; round < 25; round++)
        await Promise.all(['one', 'two'].map((license) => crowd.open(license, documents)));
      expect(await countsOf(crowd.database, 'one')).toEqual({ documents: 40, opens: 1_000 });
      expect(await countsOf(crowd.database, 'two')).toEqual({ documents: 40, opens: 1_000 });
      isOver = true;
      await Promise.all(counting);
    } finally {
      await Promise.all(databases.map((database) => database.end()));
      await crowd.close();
    }
  });

  test('leave all rows in the inbox when one consumer fails', async () => {
    const broken = await startRig({ TELEMETRY_ROLE: 'collector' });
    try {
      await broken.open('kept', ['a', 'b']);
      await broken.database.query('ALTER TABLE usage_counts RENAME TO elsewhere');
      await expect(storeUsage(broken.database)).rejects.toThrow('usage_counts');
      await broken.database.query('ALTER TABLE elsewhere RENAME TO usage_counts');
      expect(await storeUsage(broken.database)).toEqual({ occurrences: 2, isMore: false });
      expect(await countsOf(broken.database, 'kept')).toEqual({ documents: 2, opens: 2 });
    } finally {
      await broken.close();
    }
  });
});

describe('a database that goes down', () => {
  test('delays received opens, and causes 503 if it stays down', async () => {
    const { proxy, url } = await behindProxy(rig.databaseUrl);
    const near = await startRig({ DATABASE_URL: url, DATABASE_WAIT_MS_MAX: '8000' });
    try {
      proxy.spoil({ isBlackHole: true });
      proxy.cut();
      const early = near.post('waits', payloadOf(['a']));
      await sleep(1_000);
      proxy.mend();
      expect((await early).status).toBe(202);
      proxy.spoil({ isBlackHole: true });
      proxy.cut();
      const late = await near.post('waits', payloadOf(['b']));
      expect([late.status, late.headers.get('retry-after')]).toEqual([503, '5']);
      expect((await fetch(`${near.url}/readyz`)).status).toBe(503);
      proxy.mend();
      expect(await countsOf(rig.database, 'waits')).toEqual({ documents: 1, opens: 1 });
    } finally {
      await near.close();
      await proxy.close();
    }
  });
});
