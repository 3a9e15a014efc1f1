import type { BlobStore } from '@scriptorium/shared/blob/store';
import { unavailable } from '@scriptorium/shared/errors';
import type { BlobRef } from '@scriptorium/shared/queue/define-job';
import type { Reply } from '../context.ts';

/** Blobs outlive the deadline by this time, for the last steps of an answer. */
const BLOB_GRACE_MS = 10_000;

/** References to named bytes in the store. */
export type Refs<Inputs> = { [Name in keyof Inputs]: BlobRef };

/** Puts the inputs of the jobs of a request into the store: all of them or none. Throws UNAVAILABLE. */
export async function putInputs<Inputs extends Record<string, Buffer>>(
  store: BlobStore,
  response: Reply,
  inputs: Inputs,
): Promise<Refs<Inputs>> {
  const { requestId, deadlineAt } = response.locals;
  const entries = Object.entries<Buffer>(inputs).map(([name, bytes]) => ({
    name,
    bytes,
    key: `${requestId}.${name}`,
  }));
  try {
    for (const { key, bytes } of entries)
      await store.put(key, bytes, deadlineAt - Date.now() + BLOB_GRACE_MS);
  } catch (error) {
    // Some chunks may already be in the store.
    void store.remove(entries.map(({ key }) => key)).catch(() => undefined);
    return unavailable('document store')(error);
  }
  const refs = entries.map(({ name, key, bytes }) => [name, { key, bytes: bytes.length }]);
  return Object.fromEntries(refs) as Refs<Inputs>;
}

/** Takes a result out of the store. Throws UNAVAILABLE if it is missing or incomplete. */
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
