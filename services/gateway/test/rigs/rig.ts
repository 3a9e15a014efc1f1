import { randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { PublicSigningKey } from '@scriptorium/contracts/jobs/signing-key';
import { JOB_SECRETS, ROLES } from '@scriptorium/contracts/services';
import { type Database, openDatabase } from '@scriptorium/database/pool';
import { loadConfig, Secret } from '@scriptorium/shared/config';
import { createLogger, type Logger } from '@scriptorium/shared/logger';
import { createMetrics } from '@scriptorium/shared/metrics/metrics';
import { connectPatient } from '@scriptorium/shared/queue/connection';
import { type Page, parsePage } from '@scriptorium/testing/prometheus-text';
import { type RedisServer, startRedis } from '@scriptorium/testing/redis-server';
import type { Redis } from 'ioredis';
import { hashAddress } from '../../src/auth/address.ts';
import { hashApiKey, newApiKey } from '../../src/auth/api-key.ts';
import { apiKeyTable } from '../../src/auth/api-keys.ts';
import { startGateway } from '../../src/gateway.ts';
import { gatewayEvents } from '../../src/monitoring/events.ts';
import { gatewayMetrics } from '../../src/monitoring/metrics.ts';
import { gatewaySettings } from '../../src/settings/config.ts';
import { startJoiner, startMerger, type TestJoining, type TestMerging } from './merge-workers.ts';
import {
  startRowConverter,
  startRowFiller,
  startRowJoiner,
  type TestPack,
  type TestRow,
} from './row-workers.ts';
import {
  type EngineNotice,
  jobSecretOf,
  startAnnotator,
  startConverter,
  startGenerator,
  startInspector,
  startKeyTeller,
  startSigner,
  startVerifier,
  type TestAnnotation,
  type TestConversion,
  type TestGeneration,
  type TestInspection,
  type TestSigning,
  type TestVerification,
} from './workers.ts';

/** The secrets of all jobs. */
export const JOB_SETTINGS: Record<string, string> = Object.fromEntries(
  ROLES.map((role) => [JOB_SECRETS[role], jobSecretOf(role)]),
);

export const PEPPER = 'a pepper for tests, of forty characters.';

export interface Rig {
  url: string;
  /** Returns the current page of metrics. */
  metrics(): Promise<Page>;
  redis: RedisServer;
  /** Stores a key of a new address, or of this owner, without an e-mail code. */
  newKey(owner?: Buffer): Promise<{ key: string; id: string; ownerHash: Buffer }>;
  database: Database;
  post(
    key: string,
    file: Uint8Array,
    options?: { query?: string; signal?: AbortSignal; accept?: string },
  ): Promise<Response>;
  /** Starts a converter with the conversions of the test. Returns a function that stops it. */
  convertWith(
    conversion: TestConversion,
    concurrency?: number,
    engine?: EngineNotice,
  ): Promise<() => Promise<void>>;
  /** The same for annotators, inspections, signers, verifiers and the signing key. */
  annotateWith(annotation: TestAnnotation, concurrency?: number): () => Promise<void>;
  generateWith(generation: TestGeneration, concurrency?: number): () => Promise<void>;
  fillRowsWith(fillRow: TestRow, atPack?: TestPack, concurrency?: number): () => Promise<void>;
  convertRowsWith(compared?: () => 'same' | 'different' | undefined): () => Promise<void>;
  joinRowsWith(): () => Promise<void>;
  mergeWith(merging: TestMerging, concurrency?: number): () => Promise<void>;
  joinWith(joining: TestJoining): () => Promise<void>;
  inspectWith(inspection: TestInspection): () => Promise<void>;
  signWith(signing: TestSigning, concurrency?: number): () => Promise<void>;
  verifyWith(verification: TestVerification, concurrency?: number): () => Promise<void>;
  tellKeyWith(key: () => Promise<PublicSigningKey>): () => Promise<void>;
  /** Posts a JSON body: a string unchanged, anything else as JSON. */
  postJson(
    key: string,
    path: string,
    body: unknown,
    options?: { signal?: AbortSignal; headers?: Record<string, string> },
  ): Promise<Response>;
  blobKeys(): Promise<string[]>;
  /** Returns how long a blob stays in Redis, ms. */
  msLeft(key: string): Promise<number>;
  /** Returns the names and values of all matching keys of Redis as one text. */
  everythingInRedis(pattern?: string): Promise<Buffer>;
  /** Returns the number of jobs of this queue that no worker has started. */
  waiting(job: string): Promise<number>;
  /** Stops the gateway and leaves the rest. */
  stopGateway(): Promise<void>;
  close(): Promise<void>;
}

/** A real gateway on its own Redis, with the PostgreSQL and the mail catcher of the test run. It may log into `lines`. */
export async function startRig(
  settings: Record<string, string | undefined> = {},
  lines?: object[],
): Promise<Rig> {
  const folder = await mkdtemp(join(tmpdir(), 'scriptorium-gateway-'));
  const redis = await startRedis({ socket: join(folder, 'redis.sock') });
  const servers = { queue: redis.url, blobs: settings.REDIS_BLOB_URL ?? redis.url };
  const config = loadConfig(gatewaySettings, {
    NODE_ENV: 'test',
    LOG_LEVEL: process.env.TEST_LOG_LEVEL ?? 'silent',
    PORT: '0',
    INTERNAL_PORT: '0',
    DRAIN_MS: '0',
    DATABASE_URL: process.env.DATABASE_URL,
    SMTP_URL: process.env.SMTP_URL,
    CODE_PEPPER: PEPPER,
    SERVICE_KEY_FOR: 'everyone',
    REDIS_URL: redis.url,
    ...JOB_SETTINGS,
    ...settings,
  });
  const metrics = createMetrics('gateway', '0.0.0');
  const logger = lines === undefined ? createLogger('gateway', config.LOG_LEVEL) : loggerInto(lines);
  const events = gatewayEvents(logger, gatewayMetrics(metrics));
  const gateway = await startGateway(config, '0.0.0', metrics, events);
  const url = `http://${gateway.address}`;
  await untilReady(url);
  const database = openDatabase(config.DATABASE_URL);
  const own = connectPatient(new Secret(redis.url));
  const stops: (() => Promise<void>)[] = [];
  let stopped: Promise<void> | undefined;
  const stopGateway = (): Promise<void> => {
    stopped ??= gateway.close();
    return stopped;
  };
  return {
    url,
    metrics: async () => parsePage(await (await fetch(`http://${gateway.internalAddress}/metrics`)).text()),
    redis,
    database,
    async newKey(owner) {
      const key = newApiKey('scr_');
      const ownerHash =
        owner ?? hashAddress(`${randomBytes(8).toString('hex')}@example.com`, new Secret(PEPPER));
      const row = await apiKeyTable(database).insert({
        keyHash: hashApiKey(key),
        ownerHash,
        last4: key.slice(-4),
      });
      return { key, id: row?.id ?? '', ownerHash };
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
    async convertWith(conversion, concurrency = 2, engine = { sandbox: 'enforced', loader: 'writer' }) {
      const stop = startConverter(servers, conversion, concurrency, engine);
      stops.push(stop);
      return stop;
    },
    annotateWith(annotation, concurrency = 2) {
      const stop = startAnnotator(servers, annotation, concurrency);
      stops.push(stop);
      return stop;
    },
    generateWith(generation, concurrency = 2) {
      const stop = startGenerator(servers, generation, concurrency);
      stops.push(stop);
      return stop;
    },
    fillRowsWith(fillRow, atPack = async () => {}, concurrency = 2) {
      const stop = startRowFiller(servers, fillRow, atPack, concurrency);
      stops.push(stop);
      return stop;
    },
    convertRowsWith(compared = () => undefined) {
      const stop = startRowConverter(servers, compared);
      stops.push(stop);
      return stop;
    },
    joinRowsWith() {
      const stop = startRowJoiner(servers);
      stops.push(stop);
      return stop;
    },
    mergeWith(merging, concurrency = 2) {
      const stop = startMerger(servers, merging, concurrency);
      stops.push(stop);
      return stop;
    },
    joinWith(joining) {
      const stop = startJoiner(servers, joining);
      stops.push(stop);
      return stop;
    },
    inspectWith(inspection) {
      const stop = startInspector(servers, inspection);
      stops.push(stop);
      return stop;
    },
    signWith(signing, concurrency = 2) {
      const stop = startSigner(servers, signing, concurrency);
      stops.push(stop);
      return stop;
    },
    verifyWith(verification, concurrency = 2) {
      const stop = startVerifier(servers, verification, concurrency);
      stops.push(stop);
      return stop;
    },
    tellKeyWith(key) {
      const stop = startKeyTeller(servers, key);
      stops.push(stop);
      return stop;
    },
    postJson: (key, path, body, { signal, headers } = {}) =>
      fetch(`${url}${path}`, {
        method: 'POST',
        headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json', ...headers },
        body: typeof body === 'string' ? body : JSON.stringify(body),
        signal: signal ?? null,
      }),
    blobKeys: () => own.keys('*:blob:*'),
    msLeft: async (key) => own.pttl((await own.keys(`*:blob:${key}`))[0] ?? ''),
    everythingInRedis: (pattern = '*') => contentsOf(own, pattern),
    waiting: async (job) =>
      (await own.llen(`{scriptorium}:${job}:wait`)) + (await own.zcard(`{scriptorium}:${job}:prioritized`)),
    stopGateway,
    async close() {
      await Promise.all(stops.map((stop) => stop()));
      await stopGateway();
      own.disconnect();
      await database.end();
      await redis.stop();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

/** A logger whose lines a test can read. */
function loggerInto(lines: object[]): Logger {
  const write = (fields: object, message: string) => lines.push({ ...fields, message });
  return { debug: write, info: write, warn: write, error: write } as unknown as Logger;
}

async function contentsOf(redis: Redis, pattern: string): Promise<Buffer> {
  const names = await redis.keysBuffer(pattern);
  const values = await Promise.all(
    names.map(async (name) => {
      switch (await redis.type(name)) {
        case 'string':
          return [(await redis.getBuffer(name)) ?? Buffer.alloc(0)];
        case 'hash':
          return Object.entries(await redis.hgetallBuffer(name)).flatMap(([field, value]) => [
            Buffer.from(field),
            value,
          ]);
        case 'list':
          return await redis.lrangeBuffer(name, 0, -1);
        case 'set':
          return await redis.smembersBuffer(name);
        case 'zset':
          return await redis.zrangeBuffer(name, '0', '-1');
        case 'stream':
          return [Buffer.from(JSON.stringify(await redis.xrange(name, '-', '+')))];
        default:
          return [];
      }
    }),
  );
  return Buffer.concat([...names, ...values.flat()]);
}

async function untilReady(url: string): Promise<void> {
  for (let attempt = 0; attempt < 200; attempt++) {
    if ((await fetch(`${url}/readyz`)).ok) return;
    await new Promise((resolve) => setTimeout(resolve, 25));
  }
  throw new Error('the gateway did not become ready');
}
