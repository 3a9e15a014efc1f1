import type { BlobStore } from '@scriptorium/shared/blob/store';
import { unavailable } from '@scriptorium/shared/errors';
import { conversionReport } from '@scriptorium/shared/jobs/conversion-report';
import { type convertJob, convertOptions, TARGET_CONTENT_TYPES } from '@scriptorium/shared/jobs/convert';
import type { JobClient } from '@scriptorium/shared/queue/client';
import type { BlobRef } from '@scriptorium/shared/queue/define-job';
import type { Request } from 'express';
import { z } from 'zod';
import type { Middleware, Reply } from '../context.ts';
import type { LoadGuard } from '../load.ts';
import type { Route } from '../route.ts';
import { validate } from '../validation.ts';
import { sendDocument } from './conversion-answer.ts';

/** Blobs outlive the deadline by this, for the last steps of an answer. */
const BLOB_GRACE_MS = 10_000;

const { pdf: PDF_TYPE, ...otherTypes } = TARGET_CONTENT_TYPES;
const OTHER_TYPES = Object.values(otherTypes);

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
        contentType: PDF_TYPE,
        headers: {
          'Content-Disposition': 'The name of the uploaded file with the new ending (RFC 6266)',
          'X-Page-Count': 'Pages of the result',
          'X-Conversion-Warnings': 'How many things of the document the result does not show as they were',
          'X-Conversion-Report': 'The counts of the report, as a dictionary of RFC 9651',
          'Server-Timing':
            'Milliseconds: `queue` (wait for a worker and an engine), `gate` (check of the document), `convert` (the engine)',
        },
      },
      ...OTHER_TYPES.map((contentType) => ({
        description: 'the same in the format of `to`',
        contentType,
      })),
      {
        description:
          'with `Accept: multipart/mixed`, the document as the first part and a report as JSON as the second',
        contentType: 'multipart/mixed',
        schema: z.object({ document: z.string(), report: conversionReport }),
      },
    ],
    errors: [
      'VALIDATION_ERROR',
      'INVALID_FILE_FORMAT',
      'DOCUMENT_ENCRYPTED',
      'DOCUMENT_TOO_COMPLEX',
      'PAYLOAD_TOO_LARGE',
      'UNSUPPORTED_MEDIA_TYPE',
      'FONT_UNAVAILABLE',
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
  sendDocument(request, response, {
    bytes: await take(parts.blobs, output.result),
    contentType: output.contentType,
    uploadedName: file.originalname,
    ending: options.to,
    report: output.report,
    queueMs,
  });
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
