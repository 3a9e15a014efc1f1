import { unavailable } from '@scriptorium/contracts/errors';
import { migrateUntilDone } from '@scriptorium/database/migrations';
import { type Database, openDatabase } from '@scriptorium/database/pool';
import { createRedisBlobStore } from '@scriptorium/shared/blob/redis';
import type { BlobStore } from '@scriptorium/shared/blob/store';
import type { Closeable } from '@scriptorium/shared/lifecycle';
import { connectFailingFast, connectPatient, disconnect } from '@scriptorium/shared/queue/connection';
import { tracedBlobs } from '@scriptorium/shared/tracing/traced-blobs';
import type { Redis } from 'ioredis';
import { SEEN_MS } from '../auth/key-ring.ts';
import type { GatewayEvents } from '../monitoring/events.ts';
import type { GatewayConfig } from '../settings/config.ts';
import { misconfigurations } from './redis-configuration.ts';

/** The servers behind the gateway. Opening does not wait for them: each may be down and recover later. */
export interface Backends extends Closeable {
  /** Connection to the Redis of the queue that fails fast. */
  queue: Redis;
  /** Connection to the Redis of the queue for blocking reads and workers. */
  patientQueue: Redis;
  blobs: BlobStore;
  database: Database;
  /** Whether the database has its schema, as far as this process knows. */
  hasSchema(): boolean;
  /** Each check throws while its server is down or not configured for documents. */
  checks: Record<'queue' | 'store' | 'database', () => Promise<void>>;
  /** Throws unless keys can be checked: the database is up, or was within the time for which seen keys stay valid. */
  checkKeys(): Promise<void>;
  /** Throws UNAVAILABLE if documents must not pass through one of the two Redis servers. */
  ensureStores(): Promise<void>;
}

/** `prepare` runs once the schema is there, before the database counts as ready. */
export function openBackends(
  config: GatewayConfig,
  events: GatewayEvents,
  prepare: (database: Database) => Promise<void>,
): Backends {
  const { REDIS_URL, REDIS_BLOB_URL = REDIS_URL } = config;
  const queue = connectFailingFast(REDIS_URL, config);
  const store = connectFailingFast(REDIS_BLOB_URL, config);
  const patientQueue = connectPatient(REDIS_URL, config);
  const patientStore = connectPatient(REDIS_BLOB_URL, config);
  const database = openDatabase(config.DATABASE_URL);
  const queueFitness = watchFitness(queue, 'queue', events);
  const storeFitness = watchFitness(store, 'document store', events);
  let databaseSeenAt = Number.NEGATIVE_INFINITY;
  const migration = migrateUntilDone(database, events.migrationFailed, () => prepare(database));
  const checks = {
    queue: queueFitness.check,
    store: storeFitness.check,
    async database() {
      if (!migration.isDone()) throw new Error('the schema is not ready');
      await database.query('SELECT 1');
      databaseSeenAt = Date.now();
    },
  };
  return {
    queue,
    patientQueue,
    database,
    blobs: tracedBlobs(
      withSureRemoval(createRedisBlobStore(store, queue), createRedisBlobStore(patientStore, patientQueue)),
    ),
    checks,
    hasSchema: migration.isDone,
    async checkKeys() {
      await checks.database().catch((error) => {
        if (Date.now() - databaseSeenAt > SEEN_MS) throw error;
      });
    },
    async ensureStores() {
      await Promise.all([queueFitness.ensure(), storeFitness.ensure()]);
    },
    async close() {
      migration.stop();
      const connections = [queue, store, patientQueue, patientStore];
      await Promise.all([...connections.map(disconnect), database.end()]);
    },
  };
}

/** Retries a failed removal when the store is back, since a document must not stay there after its answer. */
function withSureRemoval(store: BlobStore, patientStore: BlobStore): BlobStore {
  return { ...store, remove: (keys) => store.remove(keys).catch(() => patientStore.remove(keys)) };
}

interface Fitness {
  /** Throws unless the server answers and is configured for documents. */
  check(): Promise<void>;
  /** The same, without a request to a server that passed and has stayed connected since. */
  ensure(): Promise<void>;
}

/** Checks the configuration of a server once per connection, since another server may answer after a reconnect. */
function watchFitness(redis: Redis, role: 'queue' | 'document store', events: GatewayEvents): Fitness {
  let isFit = false;
  redis.on('close', () => {
    isFit = false;
  });
  const inspect = async (): Promise<void> => {
    const mistakes = await misconfigurations(redis);
    if (mistakes.length > 0) {
      events.storeMisconfigured(role, mistakes);
      throw new Error(mistakes.join('; '));
    }
    isFit = true;
  };
  return {
    async check() {
      if (isFit) await redis.ping();
      else await inspect();
    },
    async ensure() {
      if (!isFit) await inspect().catch(unavailable(role));
    },
  };
}
