import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { type Database, openDatabase } from '@scriptorium/database/pool';
import { Secret } from '@scriptorium/shared/config';
import { type PostgresServer, startPostgres } from '@scriptorium/testing/postgres-server';
import { freePort } from '@scriptorium/testing/server-process';
import { documentOf } from '@scriptorium/usage/inbox';
import { type ServiceProcess, startService, until } from '../service.ts';

const SENDERS = 6;
/** Documents opened repeatedly, in addition to those opened once. */
const POPULAR = 5;

/** A collector or consumer that can be killed, and restarts at the same address. */
interface Telemetry {
  url: string;
  kill(): Promise<void>;
  start(): Promise<void>;
}

let folder: string;
let postgres: PostgresServer;
let database: Database;
const running: ServiceProcess[] = [];

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'scriptorium-telemetry-'));
  chmodSync(folder, 0o711);
  postgres = await startPostgres({ folder, outlives: 'kill' });
  database = openDatabase(new Secret(postgres.url));
});
afterAll(async () => {
  await Promise.all(running.map((service) => service.end('SIGKILL')));
  await database.end();
  await postgres.stop();
  rmSync(folder, { recursive: true });
});

async function telemetry(role: 'collector' | 'consumer'): Promise<Telemetry> {
  const port = await freePort();
  let service: ServiceProcess;
  const made: Telemetry = {
    url: `http://127.0.0.1:${port}`,
    async start() {
      service = startService('telemetry', {
        DATABASE_URL: postgres.url,
        PORT: String(port),
        TELEMETRY_ROLE: role,
        COUNT_INTERVAL_MS: '50',
        DATABASE_WAIT_MS_MAX: '2000',
      });
      running.push(service);
      await until(`the ${role} is ready`, async () => (await fetch(`${made.url}/readyz`)).ok);
    },
    async kill() {
      await service.end('SIGKILL');
    },
  };
  await made.start();
  return made;
}

/** How often each document was sent, and how often the response was 202. */
type Ledger = Map<string, { sent: number; accepted: number }>;

function startSending(urls: readonly string[], ledger: Ledger): { stop(): Promise<void> } {
  let isOver = false;
  let number = 0;
  const note = (documents: readonly string[], field: 'sent' | 'accepted'): void => {
    for (const document of documents) {
      const entry = ledger.get(document) ?? { sent: 0, accepted: 0 };
      entry[field] += 1;
      ledger.set(document, entry);
    }
  };
  const sender = async (): Promise<void> => {
    while (!isOver) {
      number += 1;
      const documents = [`popular ${number % POPULAR}`, `once ${number}`, `also once ${number}`].map((name) =>
        name.replaceAll(' ', '-'),
      );
      const timestamp = new Date().toISOString();
      const events = documents.map((documentId) => ({ timestamp, documentId, documentCreatedAt: timestamp }));
      note(documents, 'sent');
      const answer = await fetch(`${urls[number % urls.length]}/v1/collect`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', 'x-license-key': 'acme' },
        body: JSON.stringify({ clientVersion: '1.0.0', events }),
      }).catch(() => undefined);
      if (answer?.status === 202) note(documents, 'accepted');
      // A refused sender continues, but slower than the machine allows.
      else await sleep(20);
      await answer?.arrayBuffer().catch(() => undefined);
    }
  };
  const done = Promise.all(Array.from({ length: SENDERS }, sender));
  return {
    async stop() {
      isOver = true;
      await done;
    },
  };
}

async function opensCounted(): Promise<Map<string, number>> {
  const { rows } = await database.query<{ document: string; opens: string }>(
    'SELECT document, sum(opens) AS opens FROM usage_document_months GROUP BY document',
  );
  return new Map(rows.map(({ document, opens }) => [document, Number(opens)]));
}

describe('accepted document opens', () => {
  test('are counted exactly once, whichever process is killed', async () => {
    const collectors = await Promise.all([telemetry('collector'), telemetry('collector')]);
    const consumers = await Promise.all([telemetry('consumer'), telemetry('consumer')]);
    const ledger: Ledger = new Map();
    const sending = startSending(
      collectors.map(({ url }) => url),
      ledger,
    );
    for (const pair of [0, 1].map((i) => [collectors[i], consumers[i]])) {
      for (const one of pair) {
        await sleep(300);
        await one?.kill();
      }
      await sleep(200);
      await Promise.all(pair.map((one) => one?.start()));
    }
    for (let round = 0; round < 2; round++) {
      await sleep(500);
      await postgres.kill();
      await postgres.start();
    }
    await until('opens are accepted again', async () => (await fetch(`${collectors[0]?.url}/readyz`)).ok);
    await sleep(500);
    // Kills the database and its consumer at the same moment.
    await Promise.all([postgres.kill(), ...consumers.map((consumer) => consumer.kill())]);
    await postgres.start();
    await Promise.all(consumers.map((consumer) => consumer.start()));
    const isAccepted = ({ accepted }: { accepted: number }) => accepted > 0;
    await until('enough is accepted', () => [...ledger.values()].filter(isAccepted).length > 200);
    await sending.stop();
    await until('everything is counted', async () => {
      const { rows } = await database.query('SELECT 1 FROM usage_inbox LIMIT 1');
      return rows.length === 0;
    });

    const counted = await opensCounted();
    const wrong = [...ledger].flatMap(([document, { sent, accepted }]) => {
      const opens = counted.get(documentOf(document)) ?? 0;
      return opens >= accepted && opens <= sent ? [] : [{ document, sent, accepted, opens }];
    });
    expect(wrong).toEqual([]);
    const all = [...ledger.values()];
    expect(all.some(({ sent, accepted }) => accepted < sent)).toBe(true);
    const { rows } = await database.query<{ documents: string; opens: string }>(
      `SELECT granularity, sum(documents) AS documents, sum(opens) AS opens FROM usage_counts
       WHERE granularity IN ('month', 'ever') GROUP BY granularity ORDER BY granularity`,
    );
    const opens = [...counted.values()].reduce((sum, one) => sum + one, 0);
    expect(rows).toEqual([
      { granularity: 'ever', documents: String(counted.size), opens: String(opens) },
      { granularity: 'month', documents: String(counted.size), opens: String(opens) },
    ]);
  });
});
