import type { BlobStore } from '@scriptorium/shared/blob/store';
import { unavailable } from '@scriptorium/shared/errors';
import { type convertJob, convertOptions } from '@scriptorium/shared/jobs/convert';
import type { JobClient } from '@scriptorium/shared/queue/client';
import type { BlobRef } from '@scriptorium/shared/queue/define-job';
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
  /** Throws UNAVAILABLE while the servers that would hold the document are not fit for it. */
  checkStores(): Promise<void>;
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
        await parts.checkStores();
        await parts.load.check();
        next();
      },
      parts.receive,
    ],
    handle: (request, response) => answerConversion(parts, request, response),
  };
}

async function answerConversion(parts: ConvertParts, request: Request, response: Reply): Promise<void> {
  const options = validate(convertOptions, request.query);
  const file = request.file;
  if (file === undefined) throw new Error('receive leaves a file or throws');
  const source = await leave(parts.blobs, file.buffer, response);
  const { output, queueMs } = await parts.jobs.run(
    { source, options },
    {
      requestId: response.locals.requestId,
      deadlineAt: response.locals.deadlineAt,
      signal: response.locals.signal,
      waitMsMax: parts.queueWaitMsMax,
      // A key that has more in flight waits behind those that have less.
      priority: (response.locals.inFlight ?? 1) - 1,
      blobs: [source.key],
    },
  );
  const bytes = await take(parts.blobs, output.result);
  response.setHeader('Content-Disposition', attachment(`${stemOf(file.originalname)}.${options.to}`));
  response.setHeader('Content-Type', output.contentType);
  response.setHeader('Cache-Control', 'no-store');
  response.setHeader('X-Page-Count', output.pages);
  response.setHeader('Server-Timing', `queue;dur=${queueMs}, convert;dur=${output.convertMs.toFixed(1)}`);
  response.end(bytes);
}

async function leave(blobs: BlobStore, bytes: Buffer, response: Reply): Promise<BlobRef> {
  const { requestId, deadlineAt } = response.locals;
  const source = { key: `${requestId}.source`, bytes: bytes.length };
  try {
    await blobs.put(source.key, bytes, deadlineAt - Date.now() + BLOB_GRACE_MS);
  } catch (error) {
    // Some of its chunks may have been taken.
    void blobs.remove([source.key]).catch(() => undefined);
    return unavailable('document store')(error);
  }
  return source;
}

async function take(blobs: BlobStore, result: BlobRef): Promise<Buffer> {
  try {
    const bytes = await blobs.get(result.key);
    if (bytes?.length === result.bytes) return bytes;
    throw new Error(`${bytes?.length ?? 'no'} of ${result.bytes} bytes of the result are in the store`);
  } catch (error) {
    return unavailable('document store')(error);
  } finally {
    void blobs.remove([result.key]).catch(() => undefined);
  }
}

/** Always with quotes, which RFC 6266 §4.1 leaves open for plain names and simple clients rely on. */
function attachment(name: string): string {
  return contentDisposition(name).replace(/^attachment; filename=([^";]+)/, 'attachment; filename="$1"');
}

/** The uploaded name without folders, ending and control characters. */
function stemOf(name: string): string {
  const base = name.slice(Math.max(name.lastIndexOf('/'), name.lastIndexOf('\\')) + 1);
  const dot = base.lastIndexOf('.');
  const stem = (dot > 0 ? base.slice(0, dot) : base).toWellFormed().replace(/\p{Cc}/gu, '');
  return [...stem].slice(0, FILE_STEM_LENGTH_MAX).join('') || 'document';
}
