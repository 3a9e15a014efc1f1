import type { BlobRef } from '@scriptorium/contracts/define-job';
import { unavailable } from '@scriptorium/contracts/errors';
import { sealBlob } from '@scriptorium/sealing/blob';
import { free, release } from '@scriptorium/sealing/idle-memory';
import { openedBlob } from '@scriptorium/shared/blob/exchange';
import { type BlobStore, blobKey, isNear } from '@scriptorium/shared/blob/store';
import type { RequestContext } from '../http/context.ts';

/** Blobs outlive the deadline by this time, for the last steps of an answer. */
const BLOB_GRACE_MS = 10_000;

/** References to named bytes in the store. */
export type Refs<Inputs> = { [Name in keyof Inputs]: BlobRef };

/** The inputs of a request. */
export interface PutInputs<Inputs> {
  refs: Refs<Inputs>;
  /** Resolves when near blobs are in the store. Rejects with UNAVAILABLE; then the job removes all inputs. */
  stored: Promise<void>;
}

/**
 * Puts the inputs of the jobs of a request into the store: all of them or none. Throws UNAVAILABLE. The commands of near
 * blobs are sent but not awaited: the job follows on the same connection. The store gets the inputs encrypted, and they are
 * overwritten.
 */
export async function putInputs<Inputs extends Record<string, Buffer>>(
  store: BlobStore,
  { requestId, deadlineAt }: Pick<RequestContext, 'requestId' | 'deadlineAt'>,
  inputs: Inputs,
): Promise<PutInputs<Inputs>> {
  const entries = Object.entries<Buffer>(inputs).map(([name, bytes]) => {
    const key = blobKey(`${requestId}.${name}`, bytes);
    const { box, seal } = sealBlob(bytes);
    return { name, box, ref: { key, bytes: bytes.length, seal } };
  });
  for (const bytes of Object.values<Buffer>(inputs)) release(bytes);
  const put = async ({ ref, box }: (typeof entries)[number]): Promise<void> => {
    await store.put(ref.key, box, deadlineAt - Date.now() + BLOB_GRACE_MS);
    free(box);
  };
  try {
    for (const entry of entries) if (!isNear(entry.ref.key)) await put(entry);
  } catch (error) {
    // Some chunks may already be in the store.
    void store.remove(entries.map(({ ref }) => ref.key)).catch(() => undefined);
    return unavailable('document store')(error);
  }
  const small = entries.filter(({ ref }) => isNear(ref.key)).map(put);
  const stored = Promise.all(small).then(() => undefined, unavailable('document store'));
  stored.catch(() => undefined);
  const refs = entries.map(({ name, ref }) => [name, ref]);
  return { refs: Object.fromEntries(refs) as Refs<Inputs>, stored };
}

/** Takes a result out of the store. Throws UNAVAILABLE if it is missing, incomplete or not what the worker sealed. */
export async function takeResult(store: BlobStore, result: BlobRef): Promise<Buffer> {
  try {
    const bytes = openedBlob(result, await store.take(result.key, result.bytes));
    if (bytes?.length === result.bytes) return bytes;
    throw new Error(`${bytes?.length ?? 'no'} of ${result.bytes} bytes of the result are in the store`);
  } catch (error) {
    void store.remove([result.key]).catch(() => undefined);
    return unavailable('document store')(error);
  }
}
