import { randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createRedisBlobStore } from '@scriptorium/shared/blob/redis';
import type { BlobStore } from '@scriptorium/shared/blob/store';
import { loadConfig, Secret } from '@scriptorium/shared/config';
import { apiKeyTable } from '@scriptorium/shared/db/api-keys';
import { openDatabase } from '@scriptorium/shared/db/pool';
import type { ConversionReport } from '@scriptorium/shared/jobs/conversion-report';
import { type Conversion, convertJob } from '@scriptorium/shared/jobs/convert';
import { createLogger } from '@scriptorium/shared/logger';
import { connectPatient, disconnect } from '@scriptorium/shared/queue/connection';
import type { WorkerNotice } from '@scriptorium/shared/queue/reply';
import { type JobContext, startJobWorker } from '@scriptorium/shared/queue/worker';
import { type RedisServer, startRedis } from '@scriptorium/shared/testing/redis-server';
import { hashAddress } from '../src/auth/address.ts';
import { hashApiKey, newApiKey } from '../src/auth/api-key.ts';
import { gatewaySettings } from '../src/config.ts';
import { gatewayEvents } from '../src/events.ts';
import { startGateway } from '../src/gateway.ts';

const PEPPER = 'a pepper for tests, of forty characters.';

/** Converts a document within a test: what it returns is the "PDF", with what it tells of it. */
export type TestConversion = (
  bytes: Buffer,
  context: JobContext,
  options: Conversion,
) => Promise<Buffer | { bytes: Buffer; report: ConversionReport }>;

export interface Rig {
  url: string;
  redis: RedisServer;
  /** A key of a fresh address, stored without the detour by e-mail. */
  newKey(): Promise<{ key: string; id: string }>;
  post(
    key: string,
    file: Uint8Array,
    options?: { query?: string; signal?: AbortSignal; accept?: string },
  ): Promise<Response>;
  /** Starts a converter whose conversions the test decides; returns what stops it. */
  convertWith(
    conversion: TestConversion,
    concurrency?: number,
    sandbox?: WorkerNotice['sandbox'],
  ): Promise<() => Promise<void>>;
  blobKeys(): Promise<string[]>;
  close(): Promise<void>;
}

/** A real gateway on a Redis of its own, the run's PostgreSQL and mail catcher. */
export async function startRig(settings: Record<string, string> = {}): Promise<Rig> {
  const folder = await mkdtemp(join(tmpdir(), 'scriptorium-gateway-'));
  const redis = await startRedis({ socket: join(folder, 'redis.sock') });
  const config = loadConfig(gatewaySettings, {
    NODE_ENV: 'test',
    LOG_LEVEL: process.env.TEST_LOG_LEVEL ?? 'silent',
    PORT: '0',
    DRAIN_MS: '0',
    DATABASE_URL: process.env.DATABASE_URL,
    SMTP_URL: process.env.SMTP_URL,
    CODE_PEPPER: PEPPER,
    REDIS_URL: redis.url,
    ...settings,
  });
  const gateway = await startGateway(
    config,
    '0.0.0',
    gatewayEvents(createLogger('gateway', config.LOG_LEVEL)),
  );
  const url = `http://${gateway.address}`;
  await untilReady(url);
  const database = openDatabase(config.DATABASE_URL);
  const own = connectPatient(new Secret(redis.url));
  const stops: (() => Promise<void>)[] = [];
  return {
    url,
    redis,
    async newKey() {
      const key = newApiKey('scr_');
      const ownerHash = hashAddress(`${randomBytes(8).toString('hex')}@example.com`, new Secret(PEPPER));
      const row = await apiKeyTable(database).insert({
        keyHash: hashApiKey(key),
        ownerHash,
        last4: key.slice(-4),
      });
      return { key, id: row?.id ?? '' };
    },
    post(key, file, { query = 'from=docx', signal, accept = '*/*' } = {}) {
      const form = new FormData();
      form.append('file', new Blob([new Uint8Array(file)]), 'letter.docx');
      return fetch(`${url}/v1/convert?${query}`, {
        method: 'POST',
        headers: { authorization: `Bearer ${key}`, accept },
        body: form,
        signal: signal ?? null,
      });
    },
    async convertWith(conversion, concurrency = 2, sandbox = 'enforced') {
      const stop = startConverter(redis.url, conversion, concurrency, sandbox);
      stops.push(stop);
      return stop;
    },
    blobKeys: () => own.keys('*:blob:*'),
    async close() {
      await Promise.all(stops.map((stop) => stop()));
      await gateway.close();
      own.disconnect();
      await database.end();
      await redis.stop();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

async function untilReady(url: string): Promise<void> {
  for (let attempt = 0; attempt < 200; attempt++) {
    if ((await fetch(`${url}/readyz`)).ok) return;
    await new Promise((resolve) => setTimeout(resolve, 25));
  }
  throw new Error('the gateway did not get ready');
}

/** What a converter tells of a document that it converted without any loss. */
export const REPORT: ConversionReport = {
  pages: 1,
  warnings: 0,
  fonts: { replaced: [], missingScripts: [] },
  dropped: { count: 0, items: [] },
  macros: false,
  revisions: { insertions: 0, deletions: 0, moves: 0, formatting: 0, shown: 'markup' },
  comments: { count: 0, shown: 'hide' },
  fields: { updated: 'none', frozen: 0 },
  engine: { name: 'test', attempts: 1 },
  timings: { gateMs: 1, waitMs: 0, loadMs: 1, updateMs: 0, exportMs: 1, engineMs: 2, totalMs: 3 },
};

function startConverter(
  redisUrl: string,
  conversion: TestConversion,
  concurrency: number,
  sandbox: WorkerNotice['sandbox'],
): () => Promise<void> {
  const redis = connectPatient(new Secret(redisUrl));
  const blobs: BlobStore = createRedisBlobStore(redis);
  const ignore = () => undefined;
  const worker = startJobWorker(
    convertJob,
    async ({ source, options }, context) => {
      const made = await conversion((await blobs.get(source.key)) ?? Buffer.alloc(0), context, options);
      const { bytes, report } = Buffer.isBuffer(made) ? { bytes: made, report: REPORT } : made;
      const result = { key: `${context.requestId}.result`, bytes: bytes.length };
      await blobs.put(result.key, bytes, 60_000);
      return {
        output: { result, contentType: 'application/pdf', report },
        blobs: [result.key],
      };
    },
    {
      redis,
      concurrency,
      removeBlobs: (keys) => blobs.remove(keys),
      capacity: () => concurrency,
      sandbox: () => sandbox,
      events: { answered: ignore, failed: ignore, dropped: ignore, queueError: ignore },
    },
  );
  let stopped: Promise<void> | undefined;
  return () => {
    stopped ??= worker.close().then(() => disconnect(redis));
    return stopped;
  };
}
