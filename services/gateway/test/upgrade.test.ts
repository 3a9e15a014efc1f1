import { execFileSync } from 'node:child_process';
import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { MIGRATIONS } from '@scriptorium/database/migrations';
import { type Database, openDatabase } from '@scriptorium/database/pool';
import { Secret } from '@scriptorium/shared/config';
import { type PostgresServer, startPostgres } from '@scriptorium/testing/postgres-server';
import { hashApiKey, newApiKey } from '../src/auth/api-key.ts';
import { type Rig, startRig } from './rigs/rig.ts';
import { askUsage, type UsageReply } from './rigs/usage-rig.ts';

/** The last migration of the release before this one. */
const RELEASED = 3;
const OWNER = Buffer.alloc(32, 7);
const key = newApiKey('scr_');
const revoked = newApiKey('scr_');

let folder: string;
let postgres: PostgresServer;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'scriptorium-upgrade-'));
  // The server has an account of its own.
  await chmod(folder, 0o711);
  postgres = await startPostgres({ folder: join(folder, 'before') });
  const database = openDatabase(new Secret(postgres.url));
  await fillAsReleased(database);
  await database.end();
});
afterAll(async () => {
  await postgres.stop();
  await rm(folder, { recursive: true });
});

/** A database of the released schema with keys and usage in it. */
async function fillAsReleased(database: Database): Promise<void> {
  await database.query('CREATE TABLE migrations (number int PRIMARY KEY, at timestamptz DEFAULT now())');
  for (const { number, sql } of MIGRATIONS.filter((migration) => migration.number <= RELEASED)) {
    await database.query(sql);
    await database.query('INSERT INTO migrations (number) VALUES ($1)', [number]);
  }
  const insert = `INSERT INTO api_keys (id, key_hash, owner_hash, last4, revoked_at) VALUES ($1, $2, $3, $4, $5)`;
  await database.query(insert, [`key_${'a'.repeat(26)}`, hashApiKey(key), OWNER, key.slice(-4), null]);
  await database.query(insert, [`key_${'b'.repeat(26)}`, hashApiKey(revoked), OWNER, 'XXXX', new Date()]);
  await database.query('INSERT INTO licenses (owner_hash) VALUES ($1)', [OWNER]);
  await database.query(
    `INSERT INTO usage_slices (license_id, name, value)
     SELECT id, name, value FROM licenses, (VALUES ('', ''), ('operation', 'convert')) AS slices (name, value)
     WHERE owner_hash = $1`,
    [OWNER],
  );
  await database.query(
    `INSERT INTO usage_counts (slice_id, granularity, start, documents, opens)
     SELECT id, granularity, start::date, 41, 41
     FROM usage_slices, (VALUES ('day', '2026-10-05'), ('month', '2026-10-01')) AS counts (granularity, start)`,
  );
}

/** What callers of a deployment on this database get. */
async function served(url: string): Promise<{ statuses: number[]; documents: number; ids: string[] }> {
  const rig: Rig = await startRig({ DATABASE_URL: url });
  try {
    rig.annotateWith(async ({ source }) => source);
    const body = { document: { base64: Buffer.from('PK a template').toString('base64') }, fields: [] };
    const annotate = async (with_: string) => (await rig.postJson(with_, '/v1/annotate', body)).status;
    const usage = await askUsage(rig, key, 'from=2026-10-01&to=2026-11-01&groupBy=operation');
    const { groups = [] } = (await usage.json()) as UsageReply;
    const listed = await fetch(`${rig.url}/v1/auth/keys`, { headers: { authorization: `Bearer ${key}` } });
    const { keys } = (await listed.json()) as { keys: { id: string }[] };
    const statuses = [await annotate(key), await annotate(revoked)];
    return { statuses, documents: groups[0]?.documents ?? 0, ids: keys.map(({ id }) => id) };
  } finally {
    await rig.close();
  }
}

describe('keys and usage', () => {
  const SAME = { statuses: [200, 401], documents: 41, ids: [`key_${'a'.repeat(26)}`] };

  test('of the released schema are served after an upgrade, at two gateways that start together', async () => {
    expect(await Promise.all([served(postgres.url), served(postgres.url)])).toEqual([SAME, SAME]);
    const database = openDatabase(new Secret(postgres.url));
    const { rows } = await database.query('SELECT number FROM migrations ORDER BY number');
    await database.end();
    expect(rows.map(({ number }) => number)).toEqual(MIGRATIONS.map(({ number }) => number));
  });

  test('are served from a copy of the files of a stopped server', async () => {
    await postgres.stop();
    execFileSync('cp', ['-a', join(folder, 'before'), join(folder, 'restored')]);
    postgres = await startPostgres({ folder: join(folder, 'restored') });
    expect(await served(postgres.url)).toEqual(SAME);
  });
});
