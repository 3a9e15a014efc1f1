import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { openDatabase } from '@scriptorium/database/pool';
import { Secret } from '@scriptorium/shared/config';
import { appendUsage, documentOf, type UsageEntry } from '@scriptorium/usage/inbox';
import { licenseTable } from '@scriptorium/usage/licenses';
import { storeUsage } from '@scriptorium/usage/store';
import { behindProxy, countsOf, type Rig, startRig, until, untilCounted } from './rig.ts';

let rig: Rig;
beforeAll(async () => {
  rig = await startRig();
});
afterAll(() => rig.close());

const AT = '2026-07-02T12:00:00Z';
const opened = (license: string, document: string): UsageEntry => ({
  license,
  opens: [[Date.parse(AT), documentOf(document)]],
});

test('metadata values beyond the limit do not use storage', async () => {
  await licenseTable(rig.database).put('endless', { metadataKeys: ['session'] });
  const come = async (first: number, count: number) => {
    const entries = Array.from(
      { length: count },
      (_, i): UsageEntry => ({
        ...opened('endless', 'd'),
        metadata: [['session', `s${first + i}`]],
      }),
    );
    await appendUsage(rig.database, entries);
    await untilCounted(rig.database);
    const { rows } = await rig.database.query('SELECT last_value FROM usage_slices_id_seq');
    return rows[0]?.last_value;
  };
  const before = await come(0, 1_001);
  expect(await come(2_000, 500)).toBe(before);
});

test('a document with very many opens does not stop the counting of others', async () => {
  const entry = opened('busy', 'd');
  await appendUsage(rig.database, [entry]);
  await untilCounted(rig.database);
  await rig.database.query('UPDATE usage_document_months SET opens = 2147483647 WHERE document = $1', [
    documentOf('d'),
  ]);
  await appendUsage(rig.database, [entry]);
  await rig.open('calm', ['a']);
  expect(await countsOf(rig.database, 'calm')).toEqual({ documents: 1, opens: 1 });
  expect(await countsOf(rig.database, 'busy')).toEqual({ documents: 1, opens: 2 });
});

test('another consumer takes over when the connection of the first one hangs', async () => {
  const uncounted = await startRig({ TELEMETRY_ROLE: 'collector' });
  const { proxy, url } = await behindProxy(uncounted.databaseUrl);
  const cutOff = openDatabase(new Secret(url));
  const blocker = await uncounted.database.connect();
  try {
    await uncounted.open('stranded', ['a']);
    await blocker.query('BEGIN; LOCK TABLE usage_slices');
    const stranded = expect(storeUsage(cutOff, { patienceMs: 6_000 })).rejects.toThrow();
    await until('it is amid counting', async () => {
      const { rows } = await uncounted.database.query(
        `SELECT 1 FROM pg_locks WHERE NOT granted AND relation = 'usage_slices'::regclass
         AND database = (SELECT oid FROM pg_database WHERE datname = current_database())`,
      );
      return rows.length > 0;
    });
    proxy.spoil({ isBlackHole: true });
    await blocker.query('ROLLBACK');
    await stranded;
    await until('another one counts', async () => (await storeUsage(uncounted.database)) !== null);
    expect(await countsOf(uncounted.database, 'stranded')).toEqual({ documents: 1, opens: 1 });
  } finally {
    blocker.release(true);
    await proxy.close();
    await cutOff.end();
    await uncounted.close();
  }
});

test('rows that cannot be counted are set aside, and all others are counted once', async () => {
  const { rows } = await rig.database.query<{ id: string }>(
    `INSERT INTO usage_inbox (entries) VALUES ('[{"owner":"00","operation":"of a later version"}]') RETURNING id`,
  );
  await rig.open('beside', ['a', 'b']);
  await until('the others are counted', async () => {
    const { documents } = (await countsOf(rig.database, 'beside')) ?? { documents: 0 };
    return documents === 2;
  });
  expect(await countsOf(rig.database, 'beside')).toEqual({ documents: 2, opens: 2 });
  const aside = await rig.database.query('SELECT id FROM usage_inbox_aside');
  expect(aside.rows).toEqual(rows);
});
