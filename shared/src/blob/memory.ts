import type { BlobStore } from './store.ts';

/** A store within one process, for tests and for programs that run gateway and worker together. */
export function createMemoryBlobStore(): BlobStore {
  const blobs = new Map<string, { bytes: Buffer; timer: NodeJS.Timeout }>();
  const drop = (key: string): void => {
    clearTimeout(blobs.get(key)?.timer);
    blobs.delete(key);
  };
  return {
    async put(key, bytes, ttlMs) {
      drop(key);
      const timer = setTimeout(() => blobs.delete(key), ttlMs).unref();
      blobs.set(key, { bytes: Buffer.from(bytes), timer });
    },
    async get(key) {
      const blob = blobs.get(key);
      return blob === undefined ? null : Buffer.from(blob.bytes);
    },
    async take(key, _bytes) {
      const bytes = await this.get(key);
      drop(key);
      return bytes;
    },
    async renew(key, ttlMs) {
      const bytes = blobs.get(key)?.bytes;
      if (bytes !== undefined) await this.put(key, bytes, ttlMs);
      return bytes !== undefined;
    },
    async remove(keys) {
      keys.forEach(drop);
    },
  };
}
