import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import { testInWhole } from '@scriptorium/testing/extent';
import { type PostgresServer, startPostgres } from '@scriptorium/testing/postgres-server';
import { ask } from '../callers.ts';
import { type Deployment, deploy, health } from '../service.ts';
import { expectAllPdfs, expectUnavailable, untilItConverts } from './promise.ts';

let service: Deployment;
afterEach(() => service?.close());

describe('PostgreSQL', () => {
  let folder: string;
  let postgres: PostgresServer;
  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'scriptorium-postgres-'));
    chmodSync(folder, 0o711);
    postgres = await startPostgres({ folder, outlives: 'stop' });
  });
  afterAll(async () => {
    await postgres.stop();
    rmSync(folder, { recursive: true });
  });

  test('causes 503 within two seconds for uncached keys while unavailable, and recovers by itself', async () => {
    service = await deploy({ settings: { DATABASE_URL: postgres.url } });
    const [known, unknown] = [await service.register(), await service.register()];
    await expectAllPdfs([await ask(service.url, known)]);
    await postgres.stop();
    await expectAllPdfs([await ask(service.url, known)]);
    await expectUnavailable(await ask(service.url, unknown));
    // Keys that were seen still work, so balancers must keep the gateway.
    expect((await fetch(`${service.url}/readyz`)).status).toBe(200);
    await postgres.start();
    await untilItConverts(service, unknown);
  });

  testInWhole('is waited for if it is unavailable at the start', async () => {
    await postgres.stop();
    const deploying = deploy({ settings: { DATABASE_URL: postgres.url } });
    await sleep(2_000);
    await postgres.start();
    service = await deploying;
    expect((await health(service.url)).checks.database).toBe('up');
  });
});
