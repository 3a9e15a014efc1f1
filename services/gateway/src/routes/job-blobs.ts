import type { BlobStore } from '@scriptorium/shared/blob/store';
import { unavailable } from '@scriptorium/shared/errors';
import type { BlobRef } from '@scriptorium/shared/queue/define-job';
import type { Reply } from '../context.ts';

/** Blobs outlive the deadline by this, for the last steps of an answer. */
const BLOB_GRACE_MS = 10_000;

/** Puts what a request brought where its workers find it: all of it, or nothing. Throws UNAVAILABLE. */
export async function putInputs<Name extends string>(
  store: BlobStore,
  response: Reply,
  blobs: Record<Name, Buffer>,
): Promise<Record<Name, BlobRef>> {
  const { requestId, deadlineAt } = response.locals;
  const entries = Object.entries<Buffer>(blobs).map(([name, bytes]) => ({
    name,
    bytes,
    key: `${requestId}.${name}`,
  }));
  try {
    for (const { key, bytes } of entries)
      await store.put(key, bytes, deadlineAt - Date.now() + BLOB_GRACE_MS);
  } catch (error) {
    // Some of the chunks may have been taken.
    void store.remove(entries.map(({ key }) => key)).catch(() => undefined);
    return unavailable('document store')(error);
  }
  const refs = entries.map(({ name, key, bytes }) => [name, { key, bytes: bytes.length }]);
  return Object.fromEntries(refs) as Record<Name, BlobRef>;
}

/** Takes a result out of the store. Throws UNAVAILABLE where it is not there in full. */
export async function takeResult(store: BlobStore, result: BlobRef): Promise<Buffer> {
  try {
    const bytes = await store.get(result.key);
    if (bytes?.length === result.bytes) return bytes;
    throw new Error(`${bytes?.length ?? 'no'} of ${result.bytes} bytes of the result are in the store`);
  } catch (error) {
    return unavailable('document store')(error);
  } finally {
    void store.remove([result.key]).catch(() => undefined);
  }
}
