import type { BlobStore } from '@scriptorium/shared/blob/store';
import { unavailable } from '@scriptorium/shared/errors';
import { type convertJob, convertOptions } from '@scriptorium/shared/jobs/convert';
import type { JobClient } from '@scriptorium/shared/queue/client';
import { create as contentDisposition } from 'content-disposition';
import type { Request } from 'express';
import type { z } from 'zod';
import type { Middleware, Reply } from '../context.ts';
import type { LoadGuard } from '../load.ts';
import type { Route } from '../route.ts';
import { validate } from '../validation.ts';

/** Blobs outlive the deadline by this, for the last steps of an answer. */
const BLOB_GRACE_MS = 10_000;
const FILE_STEM_LENGTH_MAX = 150;

export interface ConvertParts {
  jobs: JobClient<z.input<typeof convertJob.input>, z.output<typeof convertJob.output>>;
  blobs: BlobStore;
  load: LoadGuard;
  queueWaitMsMax: number;
  receive: Middleware;
}

export function convertRoute(parts: ConvertParts): Route {
  return {
    method: 'post',
    path: '/v1/convert',
    access: 'key',
    tag: 'Documents',
    summary: 'Convert a document',
    description:
      'Takes one document as the multipart file part `file` and answers with the converted bytes. The document is held in memory only, and only until it has been answered.',
    query: convertOptions,
    body: { file: 'file', description: 'The document' },
    success: [
      {
        description: 'The converted document',
        contentType: 'application/pdf',
        headers: {
          'Content-Disposition': 'The name of the uploaded file with the new ending (RFC 6266)',
          'X-Page-Count': 'Pages of the result',
          'Server-Timing': 'Milliseconds: `queue` (wait for a worker) and `convert` (the engine)',
        },
      },
    ],
    errors: [
      'VALIDATION_ERROR',
      'INVALID_FILE_FORMAT',
      'DOCUMENT_ENCRYPTED',
      'DOCUMENT_TOO_COMPLEX',
      'PAYLOAD_TOO_LARGE',
      'UNSUPPORTED_MEDIA_TYPE',
      'CONVERSION_FAILED',
    ],
    middleware: [
      async (request, _response, next) => {
        validate(convertOptions, request.query);
        await parts.load.check();
        next();
      },
      parts.receive,
    ],
    handle: (request, response) => answerConversion(parts, request, response),
  };
}

async function answerConversion(
  { jobs, blobs, queueWaitMsMax }: ConvertParts,
  request: Request,
  response: Reply,
): Promise<void> {
  const { requestId, deadlineAt, signal } = response.locals;
  const options = validate(convertOptions, request.query);
  const file = request.file;
  if (file === undefined) throw new Error('receive leaves a file or throws');
  const source = { key: `${requestId}.source`, bytes: file.size };
  await blobs
    .put(source.key, file.buffer, deadlineAt - Date.now() + BLOB_GRACE_MS)
    .catch(unavailable('document store'));
  const { output, queueMs } = await jobs.run(
    { source, options },
    {
      requestId,
      deadlineAt,
      signal,
      waitMsMax: queueWaitMsMax,
      // A key that has more in flight waits behind those that have less.
      priority: (response.locals.inFlight ?? 1) - 1,
      blobs: [source.key],
    },
  );
  const bytes = await blobs.get(output.result.key).catch(unavailable('document store'));
  void blobs.remove([output.result.key]).catch(() => undefined);
  if (bytes?.length !== output.result.bytes)
    return unavailable('document store')(new Error('the result is not in the store'));
  response.setHeader('Content-Disposition', attachment(`${stemOf(file.originalname)}.${options.to}`));
  response.setHeader('Content-Type', output.contentType);
  response.setHeader('Cache-Control', 'no-store');
  response.setHeader('X-Page-Count', output.pages);
  response.setHeader('Server-Timing', `queue;dur=${queueMs}, convert;dur=${output.convertMs.toFixed(1)}`);
  response.end(bytes);
}

/** Always with quotes, which RFC 6266 §4.1 leaves open for plain names and simple clients rely on. */
function attachment(name: string): string {
  return contentDisposition(name).replace(/filename=([^";]+)/, 'filename="$1"');
}

/** The uploaded name without folders, ending and control characters. */
function stemOf(name: string): string {
  const base = name.slice(Math.max(name.lastIndexOf('/'), name.lastIndexOf('\\')) + 1);
  const dot = base.lastIndexOf('.');
  const stem = (dot > 0 ? base.slice(0, dot) : base).replace(/\p{Cc}/gu, '');
  return [...stem].slice(0, FILE_STEM_LENGTH_MAX).join('') || 'document';
}
