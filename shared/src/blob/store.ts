/**
 * Bytes in memory while a job runs; nothing here ever reaches a disk. Every blob dies by its time to live,
 * also when nobody removes it.
 */
export interface BlobStore {
  /** Replaces what lies under `key`. */
  put(key: string, bytes: Uint8Array, ttlMs: number): Promise<void>;
  /** The bytes, left in place, so that a second attempt finds them; null when removed or expired. */
  get(key: string): Promise<Buffer | null>;
  remove(keys: string[]): Promise<void>;
}
