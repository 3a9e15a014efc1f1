import { randomBytes } from 'node:crypto';
import { AppError, unavailable } from '../errors.ts';
import type { BlobRef } from '../queue/define-job.ts';
import type { BlobStore } from './store.ts';

/** A result expires this long after the deadline. */
const RESULT_GRACE_MS = 10_000;

/** Gets an input of a job. Throws UNAVAILABLE if it is missing or incomplete. */
export async function getInput(blobs: BlobStore, input: BlobRef): Promise<Buffer> {
  const bytes = await blobs.get(input.key).catch(unavailable('document store'));
  if (bytes?.length === input.bytes) return bytes;
  throw new AppError('UNAVAILABLE', 'The document was lost during processing; send it again.', {
    cause: new Error(`${bytes?.length ?? 'no'} of ${input.bytes} bytes are in the store`),
  });
}

/**
 * Puts the result of a worker into the store, under a name that is unique to this run: a stalled job may also be running on
 * another worker. `deadlineAt` is in epoch milliseconds. Throws UNAVAILABLE and then leaves nothing in the store.
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
