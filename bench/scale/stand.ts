import { openDatabase } from '@scriptorium/database/pool';
import { type Deployment, deploy, type ServiceProcess } from '@scriptorium/e2e/service';
import { Secret } from '@scriptorium/shared/config';
import { connectPatient, disconnect } from '@scriptorium/shared/queue/connection';
import { type Balancer, startBalancer } from '@scriptorium/testing/balancer';
import { startRedis } from '@scriptorium/testing/redis-server';
import type { Redis } from 'ioredis';
import { postmaster } from '../collector.ts';

/** The parts whose CPU time is measured separately. */
export const ROLES = [
  'gateway',
  'converter',
  'annotator',
  'signer',
  'verifier',
  'queueRedis',
  'blobRedis',
  'database',
] as const;
export type Role = (typeof ROLES)[number];

/** A whole service with a number of converters, on its own Redis servers: an idle stand does not affect the others. */
export interface Stand {
  converters: number;
  service: Deployment;
  queue: Redis;
  blobs: Redis;
  /** For each converter that was started separately: the time until it took jobs. */
  converterStartSeconds: number[];
  /** The first processes of each role, for that many gateways. */
  processes(gateways: number): Record<Role, number[]>;
  /** The address of that many gateways. */
  url(gateways: number): Promise<{ url: string; close(): Promise<void> }>;
  close(): Promise<void>;
}

export interface StandOptions {
  converters: number;
  gateways: number;
  databaseUrl: string;
  /** Workers of other kinds, one of each. */
  further: readonly ('annotator' | 'signer' | 'verifier')[];
  /** Settings of all processes, beside those of the stand. */
  settings?: Record<string, string>;
}

/** Sequentially: many concurrent starts on few cores would exceed the time limit of each. */
async function startService(options: StandOptions, blobUrl: string) {
  const { converters, gateways, further, settings } = options;
  const service = await deploy({
    converters: Math.min(1, converters),
    gateways,
    redis: {},
    settings: {
      NODE_ENV: 'production',
      DEVELOPMENT_KEY_IN_PRODUCTION: 'true',
      REDIS_BLOB_URL: blobUrl,
      KEY_REQUESTS_PER_MINUTE_MAX: '10000000',
      ...settings,
    },
  });
  const converterStartSeconds: number[] = [];
  while (service.converters.length < converters) {
    const startedAt = performance.now();
    await service.addConverter();
    converterStartSeconds.push((performance.now() - startedAt) / 1000);
  }
  if (further.includes('annotator')) await service.addAnnotator();
  if (further.includes('signer')) await service.addSigner();
  if (further.includes('verifier')) await service.addVerifier();
  return { service, converterStartSeconds };
}

async function serverProcess(redis: Redis): Promise<number> {
  return Number(/process_id:(\d+)/.exec(await redis.info('server'))?.[1]);
}

async function databaseProcess(url: string): Promise<number> {
  const database = openDatabase(new Secret(url));
  try {
    return await postmaster(database);
  } finally {
    await database.end();
  }
}

const pidsOf = (services: readonly ServiceProcess[]): number[] =>
  services.flatMap(({ child: { pid } }) => (pid === undefined ? [] : [pid]));

export async function startStand(options: StandOptions): Promise<Stand> {
  const blobServer = await startRedis();
  const { service, converterStartSeconds } = await startService(options, blobServer.url);
  const [queue, blobs] = [service.redis.url, blobServer.url].map((url) => connectPatient(new Secret(url)));
  if (queue === undefined || blobs === undefined) throw new Error('two addresses make two connections');
  const fixed = {
    converter: pidsOf(service.converters),
    annotator: pidsOf(service.annotators),
    signer: pidsOf(service.signers),
    verifier: pidsOf(service.verifiers),
    queueRedis: [await serverProcess(queue)],
    blobRedis: [await serverProcess(blobs)],
    database: [await databaseProcess(options.databaseUrl)],
  };
  return {
    converters: options.converters,
    service,
    converterStartSeconds,
    queue,
    blobs,
    processes: (gateways) => ({ ...fixed, gateway: pidsOf(service.gateways.slice(0, gateways)) }),
    url: (gateways) => reach(service, gateways),
    async close() {
      await Promise.all([disconnect(queue), disconnect(blobs)]);
      await service.close();
      await blobServer.stop();
    },
  };
}

/** A single gateway is called directly. A balancer runs only when needed: its probes load the gateways. */
async function reach({ gateways, url }: Deployment, count: number) {
  if (count === 1) return { url, close: async () => undefined };
  const balancer: Balancer = await startBalancer(gateways.slice(0, count).map(({ port }) => port));
  return { url: `http://127.0.0.1:${balancer.port}`, close: () => balancer.close() };
}
