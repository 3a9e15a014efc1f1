import { type DefaultJobOptions, Queue } from 'bullmq';
import type { Redis } from 'ioredis';
import { KEY_PREFIX } from './connection.ts';
import { JOB_BYTES_MAX } from './envelope.ts';

/** Maximum number of queue events in Redis. The project does not read them. */
const EVENTS_MAX = 100;

/** Opens the producer side of a queue without waiting. With a `redis` that fails fast, calls fail fast too. */
export function openQueue(
  name: string,
  redis: Redis,
  retries: Pick<DefaultJobOptions, 'attempts' | 'backoff'>,
): Queue {
  const queue = new Queue(name, {
    connection: redis,
    prefix: KEY_PREFIX,
    skipWaitingForReady: true,
    skipVersionCheck: true,
    streams: { events: { maxLen: EVENTS_MAX } },
    defaultJobOptions: {
      ...retries,
      removeOnComplete: true,
      removeOnFail: true,
      sizeLimit: JOB_BYTES_MAX,
      stackTraceLimit: 0,
    },
  });
  // Without a listener an error event would end the process. Calls report their own errors.
  queue.on('error', () => undefined);
  return queue;
}

/** Queues by name, each opened at its first use. Their jobs are tried once. */
export function openQueues(redis: Redis): { of(name: string): Queue; close(): Promise<void> } {
  const queues = new Map<string, Queue>();
  return {
    of(name) {
      const queue = queues.get(name) ?? openQueue(name, redis, { attempts: 1 });
      queues.set(name, queue);
      return queue;
    },
    close: async () => void (await Promise.all([...queues.values()].map((queue) => queue.close()))),
  };
}
