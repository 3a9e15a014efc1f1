/**
 * Holds bytes in memory while a job runs. They must never reach a disk. Every blob expires after its time to live.
 */
export interface BlobStore {
  /** Stores the bytes, and replaces an existing blob. */
  put(key: string, bytes: Uint8Array, ttlMs: number): Promise<void>;
  /** Returns the bytes and keeps them in the store for a second attempt. Returns null if they were removed or have expired. */
  get(key: string): Promise<Buffer | null>;
  remove(keys: string[]): Promise<void>;
}
