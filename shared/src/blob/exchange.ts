import { randomBytes } from 'node:crypto';
import { AppError, unavailable } from '../errors.ts';
import type { BlobRef } from '../queue/define-job.ts';
import type { BlobStore } from './store.ts';

/** A result waits in memory for whoever reads it for this long after the deadline, then it expires. */
const RESULT_GRACE_MS = 10_000;

/** Gets an input of a job. Throws UNAVAILABLE where it is not in the store, or not whole. */
export async function getInput(blobs: BlobStore, input: BlobRef): Promise<Buffer> {
  const bytes = await blobs.get(input.key).catch(unavailable('document store'));
  if (bytes?.length === input.bytes) return bytes;
  throw new AppError('UNAVAILABLE', 'The document was lost on its way; send it again.', {
    cause: new Error(`${bytes?.length ?? 'no'} of ${input.bytes} bytes are in the store`),
  });
}

/**
 * Puts a worker's result into the store, under a name of this run alone: a job whose worker was taken for dead may be
 * running elsewhere too. `deadlineAt` in epoch milliseconds. Throws UNAVAILABLE, and leaves nothing then.
 */
export async function putResult(
  blobs: BlobStore,
  requestId: string,
  bytes: Buffer,
  deadlineAt: number,
): Promise<BlobRef> {
  const result = { key: `${requestId}.result.${randomBytes(6).toString('hex')}`, bytes: bytes.length };
  try {
    await blobs.put(result.key, bytes, Math.max(1, deadlineAt - Date.now()) + RESULT_GRACE_MS);
    return result;
  } catch (error) {
    await blobs.remove([result.key]).catch(() => undefined);
    return unavailable('document store')(error);
  }
}
