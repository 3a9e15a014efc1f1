import { createRedisBlobStore } from '@scriptorium/shared/blob/redis';
import type { BlobStore } from '@scriptorium/shared/blob/store';
import { migrate } from '@scriptorium/shared/db/migrations';
import { type Database, openDatabase } from '@scriptorium/shared/db/pool';
import type { Closeable } from '@scriptorium/shared/lifecycle';
import {
  connectFailingFast,
  connectPatient,
  disconnect,
  misconfigurations,
} from '@scriptorium/shared/queue/connection';
import type { Redis } from 'ioredis';
import type { GatewayConfig } from './config.ts';
import type { GatewayEvents } from './events.ts';

const MIGRATION_RETRY_MS = 1_000;

/** The servers behind the gateway. Opening waits for none of them: each may be away, and come back. */
export interface Backends extends Closeable {
  /** The queue's Redis, failing fast. */
  queue: Redis;
  /** The queue's Redis for blocking reads and workers. */
  patientQueue: Redis;
  blobs: BlobStore;
  database: Database;
  /** Each throws while its server is away or not fit for documents. */
  checkQueue(): Promise<void>;
  checkStore(): Promise<void>;
  checkDatabase(): Promise<void>;
}

export function openBackends(config: GatewayConfig, events: GatewayEvents): Backends {
  const queue = connectFailingFast(config.REDIS_URL);
  const store = connectFailingFast(config.REDIS_BLOB_URL ?? config.REDIS_URL);
  const patientQueue = connectPatient(config.REDIS_URL);
  const database = openDatabase(config.DATABASE_URL);
  const migration = migrateUntilDone(database, events);
  return {
    queue,
    patientQueue,
    database,
    blobs: createRedisBlobStore(store),
    checkQueue: redisCheck(queue, 'queue', events),
    checkStore: redisCheck(store, 'store', events),
    async checkDatabase() {
      if (!migration.isDone()) throw new Error('the schema is not ready');
      await database.query('SELECT 1');
    },
    async close() {
      migration.stop();
      await Promise.all([disconnect(queue), disconnect(store), disconnect(patientQueue), database.end()]);
    },
  };
}

/** Looks at the server's configuration once a connection, since another server may answer after a reconnect. */
function redisCheck(redis: Redis, role: string, events: GatewayEvents): () => Promise<void> {
  let isFit = false;
  redis.on('close', () => {
    isFit = false;
  });
  return async () => {
    await redis.ping();
    if (isFit) return;
    const mistakes = await misconfigurations(redis);
    if (mistakes.length > 0) {
      events.storeMisconfigured(role, mistakes);
      throw new Error(mistakes.join('; '));
    }
    isFit = true;
  };
}

function migrateUntilDone(database: Database, events: GatewayEvents): { isDone(): boolean; stop(): void } {
  let done = false;
  let timer: NodeJS.Timeout | undefined;
  let stopped = false;
  const attempt = (): void => {
    migrate(database).then(
      () => {
        done = true;
      },
      (error) => {
        if (stopped) return;
        events.migrationFailed(error);
        timer = setTimeout(attempt, MIGRATION_RETRY_MS);
      },
    );
  };
  attempt();
  return {
    isDone: () => done,
    stop() {
      stopped = true;
      clearTimeout(timer);
    },
  };
}
