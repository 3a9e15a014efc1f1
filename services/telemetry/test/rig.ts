import { randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Database, openDatabase } from '@scriptorium/database/pool';
import { loadConfig, Secret } from '@scriptorium/shared/config';
import { createLogger } from '@scriptorium/shared/logger';
import { createMetrics } from '@scriptorium/shared/metrics/metrics';
import { type FaultProxy, startFaultProxy } from '@scriptorium/testing/fault-proxy';
import { createDatabase } from '@scriptorium/testing/postgres-server';
import { licenseTable } from '@scriptorium/usage/licenses';
import { telemetrySettings } from '../src/config.ts';
import { telemetryEvents } from '../src/events.ts';
import { telemetryMetrics } from '../src/metrics.ts';
import { startTelemetry, type TelemetryService } from '../src/service.ts';

/** A separate service on its own database. */
export interface Rig {
  url: string;
  databaseUrl: string;
  database: Database;
  service: TelemetryService;
  post(license: string, body: unknown, headers?: Record<string, string>): Promise<Response>;
  /** Sends opens of these documents, and expects 202. */
  open(license: string, documents: string[], more?: { at?: string; metadata?: object }): Promise<void>;
  close(): Promise<void>;
}

export async function startRig(settings: Record<string, string> = {}): Promise<Rig> {
  const databaseUrl =
    settings.DATABASE_URL ??
    (await createDatabase(process.env.DATABASE_URL ?? '', `telemetry_${randomBytes(6).toString('hex')}`));
  const config = loadConfig(telemetrySettings, {
    DATABASE_URL: databaseUrl,
    PORT: '0',
    INTERNAL_PORT: '0',
    DRAIN_MS: '0',
    COUNT_INTERVAL_MS: '20',
    ...settings,
  });
  const metrics = createMetrics('telemetry', '0.0.0');
  const events = telemetryEvents(createLogger('telemetry', 'silent'), telemetryMetrics(metrics));
  const service = await startTelemetry(config, '0.0.0', metrics, events);
  const database = openDatabase(new Secret(databaseUrl));
  const url = `http://${service.address}`;
  const post: Rig['post'] = (license, body, headers) =>
    fetch(`${url}/v1/collect`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-license-key': license, ...headers },
      body: typeof body === 'string' ? body : JSON.stringify(body),
    });
  const rig: Rig = {
    url,
    databaseUrl,
    database,
    service,
    post,
    async open(license, documents, { at = new Date().toISOString(), metadata } = {}) {
      const answer = await post(license, payloadOf(documents, at, metadata));
      if (answer.status !== 202) throw new Error(`${answer.status} ${await answer.text()}`);
    },
    async close() {
      await service.close();
      await database.end();
    },
  };
  await until('the service is ready', async () => (await fetch(`${url}/readyz`)).ok);
  return rig;
}

/** A connection to the database through a fault proxy. */
export async function behindProxy(databaseUrl: string): Promise<{ proxy: FaultProxy; url: string }> {
  const url = new URL(databaseUrl);
  const proxy = await startFaultProxy({ port: Number(url.port) });
  if ('port' in proxy.address) url.port = String(proxy.address.port);
  return { proxy, url: url.href };
}

/** The payload of the client library. */
export function payloadOf(documents: string[], at = new Date().toISOString(), metadata?: object): object {
  return {
    clientVersion: '1.4.2',
    browserInfo: {
      userAgent: 'Mozilla/5.0',
      currentUrl: 'https://editor.example.com/documents/7',
      hostname: 'editor.example.com',
      screenSize: { width: 1920, height: 1080 },
    },
    ...(metadata && { metadata }),
    events: documents.map((documentId) => ({
      timestamp: at,
      documentId,
      documentCreatedAt: '2026-01-15T10:30:00Z',
    })),
  };
}

/** Waits until the inbox is empty, and everything accepted has been counted. */
export async function untilCounted(database: Database): Promise<void> {
  await until('everything is counted', async () => {
    const { rows } = await database.query('SELECT 1 FROM usage_inbox LIMIT 1');
    return rows.length === 0;
  });
}

/** Returns the total counts of distinct documents and opens of a license. */
export async function countsOf(
  database: Database,
  license: string,
): Promise<{ documents: number; opens: number }> {
  await untilCounted(database);
  const found = (await licenseTable(database).list(true)).find(({ key }) => key === license);
  return { documents: found?.documents ?? 0, opens: found?.opens ?? 0 };
}

export async function until(what: string, condition: () => Promise<boolean>, ms = 60_000): Promise<void> {
  for (const end = Date.now() + ms; Date.now() < end; ) {
    if (await condition().catch(() => false)) return;
    await sleep(20);
  }
  throw new Error(`${what} did not happen within ${ms} ms`);
}
