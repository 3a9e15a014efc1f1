/**
 * bench/collect.ts [--seconds 5]
 *
 * Prints how many document opens per second one collector accepts and counts on this machine, which it shares with the load
 * generator and PostgreSQL. Payloads have one event or twenty. Also prints the time to the 202 at half that rate. The speed of
 * the consumer alone is compared with bare batches of INSERT … ON CONFLICT on the same kind of rows.
 */
import { parseArgs } from 'node:util';
import { type Database, openDatabase } from '@scriptorium/database/pool';
import { Secret } from '@scriptorium/shared/config';
import { startPostgres } from '@scriptorium/testing/postgres-server';
import { documentOf } from '@scriptorium/usage/inbox';
import { storeUsage } from '@scriptorium/usage/store';
import {
  collectOpens,
  counted,
  sendOpens,
  startTelemetry,
  type Telemetry,
  untilCounted,
} from './collector.ts';
import { percentile } from './measure.ts';

const BARE_ROWS = 1_000;
const { values: options } = parseArgs({ options: { seconds: { type: 'string', default: '5' } } });
const seconds = Number(options.seconds);

/** Rows per second of the one statement that every way of counting needs. */
async function bareRate(database: Database): Promise<number> {
  await database.query(
    `CREATE TABLE bare (license int, document uuid, first_seen timestamptz, last_seen timestamptz, opens int,
     PRIMARY KEY (license, document)) WITH (fillfactor = 90)`,
  );
  const startedAt = performance.now();
  let rows = 0;
  while (performance.now() - startedAt < seconds * 1000) {
    const documents = Array.from({ length: BARE_ROWS }, (_, i) =>
      documentOf(`bare ${i % 2 === 0 ? rows + i : Math.floor(Math.random() * (rows + i))}`),
    );
    const unique = [...new Set(documents)].sort();
    await database.query(
      `INSERT INTO bare SELECT 1, document, now(), now(), 1 FROM unnest($1::uuid[]) document
       ON CONFLICT (license, document) DO UPDATE SET opens = bare.opens + 1, last_seen = excluded.last_seen`,
      [unique],
    );
    rows += unique.length;
  }
  const rate = rows / ((performance.now() - startedAt) / 1000);
  await database.query('DROP TABLE bare');
  return rate;
}

/** Events per second taken out of an inbox of that many, without other load. */
async function countingRate(database: Database): Promise<{ rate: number; events: number }> {
  const startedAt = performance.now();
  let events = 0;
  for (;;) {
    const stored = await storeUsage(database);
    events += stored?.occurrences ?? 0;
    if (!stored?.isMore) return { events, rate: events / ((performance.now() - startedAt) / 1000) };
  }
}

async function measureBatch(database: Database, telemetry: Telemetry, batch: number) {
  const before = await counted(database);
  const full = await collectOpens(database, telemetry, seconds, batch);
  const rate = full.accepted / full.seconds;
  const half = await sendOpens(telemetry.port, seconds, batch, rate / batch / 2);
  await untilCounted(database, before + full.accepted + half.accepted);
  return {
    'events a payload': batch,
    'accepted/s': perSecond(rate),
    'accepted and counted/s': perSecond(full.accepted / full.countedSeconds),
    'CPU µs an event: service': full.cpuUsAnEvent.service.toFixed(0),
    'CPU µs: PostgreSQL': full.cpuUsAnEvent.database.toFixed(0),
    'p50 ms at half': percentile(half.latenciesMs, 0.5).toFixed(1),
    'p99 ms at half': percentile(half.latenciesMs, 0.99).toFixed(1),
    'half/s': perSecond(half.accepted / half.seconds),
    refused: full.refused + half.refused,
  };
}

const perSecond = (value: number): string => Math.round(value).toLocaleString('en');
const server = await startPostgres({});
const database = openDatabase(new Secret(server.url));
try {
  const service = await startTelemetry(server.url, 'all');
  await sendOpens(service.port, seconds, 1);
  const table = [await measureBatch(database, service, 1), await measureBatch(database, service, 20)];
  await service.stop();
  console.table(table);
  const collector = await startTelemetry(server.url, 'collector');
  await sendOpens(collector.port, seconds, 20);
  await collector.stop();
  const before = await bareRate(database);
  const { rate, events } = await countingRate(database);
  const after = await bareRate(database);
  const ratio = rate / ((before + after) / 2);
  console.log(
    `Counting alone: ${perSecond(rate)} events/s, of ${perSecond(events)}. Bare INSERT … ON CONFLICT, ${BARE_ROWS} rows at a ` +
      `time, before and after: ${perSecond(before)} and ${perSecond(after)} rows/s. Ratio ${ratio.toFixed(2)}.`,
  );
} finally {
  await database.end();
  await server.stop();
}
