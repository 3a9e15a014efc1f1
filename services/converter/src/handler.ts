import { randomBytes } from 'node:crypto';
import type { BlobStore } from '@scriptorium/shared/blob/store';
import { AppError, unavailable } from '@scriptorium/shared/errors';
import type { convertJob } from '@scriptorium/shared/jobs/convert';
import type { BlobRef } from '@scriptorium/shared/queue/define-job';
import type { JobHandler } from '@scriptorium/shared/queue/worker';
import type { z } from 'zod';
import type { Convert } from './convert.ts';

/** The result waits in memory for the gateway for this long after the deadline, then it expires. */
const RESULT_GRACE_MS = 10_000;

/** Fetches the document, converts it, leaves the result where the gateway finds it. */
export function convertHandler(
  convert: Convert,
  blobs: BlobStore,
): JobHandler<z.output<typeof convertJob.input>, z.input<typeof convertJob.output>> {
  return async ({ source, options }, { requestId, deadlineAt, signal }) => {
    const bytes = await blobs.get(source.key).catch(unavailable('document store'));
    if (bytes?.length !== source.bytes)
      throw new AppError('UNAVAILABLE', 'The document was lost on its way; send it again.', {
        cause: new Error(`${bytes?.length ?? 'no'} of ${source.bytes} bytes are in the store`),
      });
    const converted = await convert(bytes, options, { signal, deadlineAt });
    const ttlMs = Math.max(1, deadlineAt - Date.now()) + RESULT_GRACE_MS;
    const result = await leave(blobs, requestId, converted.bytes, ttlMs);
    return {
      output: { result, contentType: converted.contentType, report: converted.report },
      blobs: [result.key],
    };
  };
}

/** Under a name of this run alone: a job whose worker was taken for dead may be running elsewhere too. */
async function leave(blobs: BlobStore, requestId: string, bytes: Buffer, ttlMs: number): Promise<BlobRef> {
  const result = { key: `${requestId}.result.${randomBytes(6).toString('hex')}`, bytes: bytes.length };
  try {
    await blobs.put(result.key, bytes, ttlMs);
    return result;
  } catch (error) {
    await blobs.remove([result.key]).catch(() => undefined);
    return unavailable('document store')(error);
  }
}
