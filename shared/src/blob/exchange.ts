import { randomBytes } from 'node:crypto';
import type { BlobRef } from '@scriptorium/contracts/define-job';
import { AppError, unavailable } from '@scriptorium/contracts/errors';
import { openBlob, sealBlob } from '@scriptorium/sealing/blob';
import { free, release } from '@scriptorium/sealing/idle-memory';
import { type BlobStore, blobKey, type NewBlob } from './store.ts';

/** A result expires this long after the deadline. */
const RESULT_GRACE_MS = 10_000;

/** Gets an input of a job. Throws UNAVAILABLE if it is missing, incomplete or not what was sealed. */
export async function getInput(blobs: BlobStore, input: BlobRef): Promise<Buffer> {
  const box = await blobs.get(input.key).catch(unavailable('document store'));
  const bytes = openedBlob(input, box);
  if (bytes?.length === input.bytes) return bytes;
  throw new AppError('UNAVAILABLE', 'The document was lost during processing; send it again.', {
    cause: new Error(`${bytes?.length ?? 'no'} of ${input.bytes} bytes are in the store`),
  });
}

/** Decrypts what the store had. Throws UNAVAILABLE if it is not what was sealed. */
export function openedBlob({ seal }: BlobRef, box: Buffer | null): Buffer | null {
  if (box === null || seal === undefined) return box;
  try {
    const bytes = openBlob(box, seal);
    free(box);
    return bytes;
  } catch (error) {
    return unavailable('document store')(error);
  }
}

/** Runs the work on bytes that only it uses, and overwrites them afterwards. Work that failed may still read them. */
export async function onOwnBytes<Result>(
  bytes: readonly Uint8Array[],
  work: () => Promise<Result>,
): Promise<Result> {
  try {
    const result = await work();
    for (const each of bytes) release(each);
    return result;
  } catch (error) {
    for (const each of bytes) each.fill(0);
    throw error;
  }
}

/** The results of one run of a job. They are in the store only when the worker has sent its answer. */
export interface Results {
  /** Keeps a result for the answer, and returns its reference. The bytes are encrypted, and overwritten. */
  keep(bytes: Buffer): BlobRef;
  kept: NewBlob[];
}

/**
 * Collects results under names that are unique to this run: a stalled job may also be running on another worker.
 * `deadlineAt` is in epoch milliseconds.
 */
export function collectResults(requestId: string, deadlineAt: number): Results {
  const kept: NewBlob[] = [];
  return {
    kept,
    keep(bytes) {
      const key = blobKey(`${requestId}.result.${randomBytes(6).toString('hex')}`, bytes);
      const { box, seal } = sealBlob(bytes);
      const ref = { key, bytes: bytes.length, seal };
      release(bytes);
      kept.push({ key, bytes: box, ttlMs: Math.max(1, deadlineAt - Date.now()) + RESULT_GRACE_MS });
      return ref;
    },
  };
}
