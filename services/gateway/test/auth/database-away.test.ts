import { afterAll, afterEach, beforeAll, expect, jest, test } from '@jest/globals';
import { type PostgresServer, startPostgres } from '@scriptorium/testing/postgres-server';
import { until } from '../rigs/open-request.ts';
import { type Rig, startRig } from '../rigs/rig.ts';

const MINUTE_MS = 60_000;

let postgres: PostgresServer;
let rig: Rig;
beforeAll(async () => {
  postgres = await startPostgres({ outlives: 'stop' });
  rig = await startRig({ DATABASE_URL: postgres.url });
  rig.annotateWith(async ({ source }) => source);
});
afterEach(() => void jest.restoreAllMocks());
afterAll(async () => {
  await rig.close();
  await postgres.stop();
});

/** Moves the clock of this process, and with it that of the gateway. */
function later(ms: number): void {
  jest.restoreAllMocks();
  const now = Date.now.bind(Date);
  jest.spyOn(Date, 'now').mockImplementation(() => now() + ms);
}

const ask = (key: string) =>
  rig.postJson(key, '/v1/annotate', {
    document: { base64: Buffer.from('PK a template').toString('base64') },
    fields: [],
  });
const ready = async () => (await fetch(`${rig.url}/readyz`)).status;

test('keys that were seen within the last hour work without PostgreSQL, and others get 503', async () => {
  const [known, unknown] = [await rig.newKey(), await rig.newKey()];
  expect((await ask(known.key)).status).toBe(200);
  await postgres.stop();
  later(MINUTE_MS);
  // The first request notices it.
  expect((await ask(known.key)).status).toBe(200);
  const startedAt = performance.now();
  for (let i = 0; i < 10; i++) expect((await ask(known.key)).status).toBe(200);
  // Each of them would take longer than a second if it waited for a connection.
  expect(performance.now() - startedAt).toBeLessThan(10_000);
  const refused = await ask(unknown.key);
  expect(refused.status).toBe(503);
  expect(refused.headers.get('retry-after')).not.toBeNull();
  expect(await refused.json()).toMatchObject({ code: 'UNAVAILABLE' });
  expect(await ready()).toBe(200);
  const health = await fetch(`${rig.url}/v1/health`);
  expect(health.status).toBe(200);
  expect(await health.json()).toMatchObject({ status: 'degraded', checks: { database: 'down' } });
  later(59 * MINUTE_MS);
  expect((await ask(known.key)).status).toBe(200);
  later(61 * MINUTE_MS);
  expect((await ask(known.key)).status).toBe(503);
  expect(await ready()).toBe(503);
  await postgres.start();
  expect(await until(async () => (await ask(unknown.key)).status === 200)).toBe(true);
  expect(await ready()).toBe(200);
});

test('a key that another gateway revoked stops working within 30 seconds, also after PostgreSQL was away', async () => {
  const { key, id } = await rig.newKey();
  const other = await rig.newKey();
  expect((await ask(key)).status).toBe(200);
  expect((await ask(other.key)).status).toBe(200);
  const revoke = (keyId: string) =>
    rig.database.query('UPDATE api_keys SET revoked_at = now() WHERE id = $1', [keyId]);
  await revoke(id);
  later(31_000);
  expect((await ask(key)).status).toBe(401);
  await postgres.stop();
  later(2 * MINUTE_MS);
  expect((await ask(other.key)).status).toBe(200);
  await postgres.start();
  expect(
    await until(() =>
      revoke(other.id).then(
        () => true,
        () => false,
      ),
    ),
  ).toBe(true);
  later(3 * MINUTE_MS);
  expect(await until(async () => (await ask(other.key)).status === 401)).toBe(true);
});
