import type { Redis } from 'ioredis';
import type { Closeable } from '../lifecycle.ts';
import { KEY_PREFIX } from './connection.ts';

const PUBLISHED = `${KEY_PREFIX}:service-certificate`;
const RENEWAL_MS = 5_000;
/** How long the certificate stays readable after the last signer has stopped. */
const LEASE_MS = 60_000;
/** A chain has a few thousand characters. A longer value is truncated and cannot be parsed. */
const CHARS_MAX = 64 * 1024;

export interface PublishEvents {
  /** Called if another certificate was published: signers have different keys, or another process wrote it. */
  disputed(other: string): void;
  queueError(error: unknown): void;
}

/**
 * Publishes the certificate of the service key and its issuers in PEM, for processes that must not have the key. Writes it
 * every 5 s and when Redis comes back. The last signer to write takes precedence.
 */
export function publishServiceCertificate(redis: Redis, pem: string, events: PublishEvents): Closeable {
  const publish = (): void => {
    if (redis.status !== 'ready') return;
    redis.set(PUBLISHED, pem, 'PX', LEASE_MS, 'GET').then((before) => {
      if (before !== null && before !== pem) events.disputed(before);
    }, events.queueError);
  };
  redis.on('ready', publish);
  publish();
  const timer = setInterval(publish, RENEWAL_MS);
  return {
    async close() {
      clearInterval(timer);
      redis.off('ready', publish);
    },
  };
}

/** Returns the published certificate, or undefined if it is older than a minute. Any process with access to Redis can write it. */
export async function readServiceCertificate(redis: Redis): Promise<string | undefined> {
  return (await redis.getrange(PUBLISHED, 0, CHARS_MAX - 1)) || undefined;
}
