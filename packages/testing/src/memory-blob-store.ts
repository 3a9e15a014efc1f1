/** A store of bytes within one process, in the form of the store in Redis. */
export function createMemoryBlobStore() {
  const blobs = new Map<string, { bytes: Buffer; timer: NodeJS.Timeout }>();
  const drop = (key: string): void => {
    clearTimeout(blobs.get(key)?.timer);
    blobs.delete(key);
  };
  return {
    async put(key: string, bytes: Uint8Array, ttlMs: number): Promise<void> {
      drop(key);
      const timer = setTimeout(() => blobs.delete(key), ttlMs).unref();
      blobs.set(key, { bytes: Buffer.from(bytes), timer });
    },
    async get(key: string): Promise<Buffer | null> {
      const blob = blobs.get(key);
      return blob === undefined ? null : Buffer.from(blob.bytes);
    },
    async take(key: string, _bytes: number): Promise<Buffer | null> {
      const bytes = await this.get(key);
      drop(key);
      return bytes;
    },
    async renew(key: string, ttlMs: number): Promise<boolean> {
      const bytes = blobs.get(key)?.bytes;
      if (bytes !== undefined) await this.put(key, bytes, ttlMs);
      return bytes !== undefined;
    },
    async remove(keys: string[]): Promise<void> {
      keys.forEach(drop);
    },
  };
}
