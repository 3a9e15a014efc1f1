import type { Redis } from 'ioredis';
import type { Closeable } from '../lifecycle.ts';
import { KEY_PREFIX, whileConnected } from './connection.ts';

export const PUBLISHED = `${KEY_PREFIX}:service-certificate`;
const RENEWAL_MS = 5_000;
/** How long the certificate stays readable after the last signer has stopped. */
const LEASE_MS = 60_000;
/** A chain has a few thousand characters. A longer value is truncated and cannot be parsed. */
const CHARS_MAX = 64 * 1024;
/** Between the chains of several keys. PEM has no empty line. */
const BETWEEN = '\n\n';

export interface PublishEvents {
  /** Called if another certificate was published: signers have different keys, or another process wrote it. */
  disputed(other: string): void;
  queueError(error: unknown): void;
}

/**
 * Joins the chains of all keys of the service, in PEM. Signers that know the same keys publish the same text, whichever of them
 * they sign with.
 */
export const joinChains = (chains: readonly string[]): string =>
  [...new Set(chains.map((chain) => chain.trim()))].sort().join(BETWEEN).concat('\n');

/** Returns the chains of a published text. */
export const chainsIn = (text: string): string[] => text.trim().split(BETWEEN);

/**
 * Publishes the certificates of the service and their issuers in PEM, for processes that must not have the key. Writes them
 * every 5 s and when Redis comes back. The last signer to write takes precedence.
 */
export function publishServiceCertificate(redis: Redis, pem: string, events: PublishEvents): Closeable {
  const stop = whileConnected(redis, RENEWAL_MS, () => {
    redis.set(PUBLISHED, pem, 'PX', LEASE_MS, 'GET').then((before) => {
      if (before !== null && before !== pem) events.disputed(before);
    }, events.queueError);
  });
  return { close: async () => stop() };
}

/** Returns the published certificate, or undefined if it is older than a minute. Any process with access to Redis can write it. */
export async function readServiceCertificate(redis: Redis): Promise<string | undefined> {
  return (await redis.getrange(PUBLISHED, 0, CHARS_MAX - 1)) || undefined;
}
