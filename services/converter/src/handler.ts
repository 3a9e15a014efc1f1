import type { BlobStore } from '@scriptorium/shared/blob/store';
import { AppError } from '@scriptorium/shared/errors';
import type { convertJob } from '@scriptorium/shared/jobs/convert';
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
    const bytes = await blobs.get(source.key);
    if (bytes?.length !== source.bytes)
      throw new AppError('UNAVAILABLE', 'The document was lost on its way; send it again.', {
        cause: new Error(`${bytes?.length ?? 'no'} of ${source.bytes} bytes are in the store`),
      });
    const converted = await convert(bytes, options, { signal, deadlineAt });
    const result = { key: `${requestId}.result`, bytes: converted.bytes.length };
    await blobs.put(result.key, converted.bytes, Math.max(1, deadlineAt - Date.now()) + RESULT_GRACE_MS);
    return {
      output: {
        result,
        contentType: converted.contentType,
        pages: converted.pages,
        convertMs: converted.timings.runMs,
      },
      blobs: [result.key],
    };
  };
}
