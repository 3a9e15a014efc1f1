import type { BlobRef } from '@scriptorium/contracts/define-job';
import { unavailable } from '@scriptorium/contracts/errors';
import { sealBlob } from '@scriptorium/sealing/blob';
import type { BlobStore } from '@scriptorium/shared/blob/store';

const RENEWAL_MS = 30_000;
/** The blobs of a killed gateway expire after this time. */
const TTL_MS = 3 * RENEWAL_MS;

/** Blobs that all packs of a batch use. */
export interface StandingBlobs {
  refs: Record<string, BlobRef>;
  /** Puts those that the store has lost into it again. Throws UNAVAILABLE. */
  restore(): Promise<void>;
  /** Removes them. */
  close(): Promise<void>;
}

/** Puts named bytes into the store and keeps them there until `close`. Throws UNAVAILABLE. */
export async function openStandingBlobs(
  store: BlobStore,
  batchId: string,
  contents: Record<string, Buffer>,
): Promise<StandingBlobs> {
  const entries = Object.entries(contents).map(([name, bytes]) => {
    const { box, seal } = sealBlob(bytes);
    return { name, box, ref: { key: `${batchId}.${name}`, bytes: bytes.length, seal } };
  });
  let isClosed = false;
  const restore = async (): Promise<void> => {
    for (const { ref, box } of entries) {
      if (isClosed || (await store.renew(ref.key, TTL_MS))) continue;
      await store.put(ref.key, box, TTL_MS);
    }
  };
  const timer = setInterval(() => void restore().catch(() => undefined), RENEWAL_MS);
  const close = async (): Promise<void> => {
    isClosed = true;
    clearInterval(timer);
    await store.remove(entries.map(({ ref }) => ref.key));
  };
  try {
    await restore();
  } catch (error) {
    await close().catch(() => undefined);
    unavailable('document store')(error);
  }
  return {
    refs: Object.fromEntries(entries.map(({ name, ref }) => [name, ref])),
    restore: () => restore().catch(unavailable('document store')),
    close,
  };
}
