import { type DefaultJobOptions, Queue } from 'bullmq';
import type { Redis } from 'ioredis';
import { KEY_PREFIX } from './connection.ts';
import { JOB_BYTES_MAX } from './define-job.ts';

/** Longest list of queue events that Redis keeps; nobody reads them. */
const EVENTS_MAX = 100;

/** The producing side of a queue. Waits for nothing: with a `redis` that fails fast, so does every call. */
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
  // Without a listener an error event would end the process; each call's own error reports the loss.
  queue.on('error', () => undefined);
  return queue;
}
