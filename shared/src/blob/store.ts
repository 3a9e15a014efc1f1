/**
 * Holds bytes in memory while a job runs. They must never reach a disk. Every blob expires after its time to live.
 */
export interface BlobStore {
  /** Stores the bytes, and replaces an existing blob. */
  put(key: string, bytes: Uint8Array, ttlMs: number): Promise<void>;
  /** Returns a copy and keeps the bytes in the store for a second attempt. Returns null if they were removed or have expired. */
  get(key: string): Promise<Buffer | null>;
  /** Returns the bytes and removes them. The size chooses the way; a wrong one costs time, not bytes. */
  take(key: string, bytes: number): Promise<Buffer | null>;
  remove(keys: string[]): Promise<void>;
  /** Sets a new time to live. Returns false if the blob was removed or has expired. */
  renew(key: string, ttlMs: number): Promise<boolean>;
}

/** A blob that is not in the store yet. */
export interface NewBlob {
  key: string;
  bytes: Buffer;
  ttlMs: number;
}

/** The maximum size of a near blob. */
export const NEAR_BYTES_MAX = 64 * 1024;
const NEAR = '.near';

/**
 * Returns the key of a blob of a request. A small one is near. It is in the Redis of the queue, and travels with the command that
 * adds its job, or with the answer.
 */
export const blobKey = (name: string, { length }: Uint8Array): string =>
  length > NEAR_BYTES_MAX ? name : `${name}${NEAR}`;
export const isNear = (key: string): boolean => key.endsWith(NEAR);
