import { validate } from '@scriptorium/shared/http/validation';
import { conversionReport } from '@scriptorium/shared/jobs/conversion-report';
import { type convertJob, convertOptions, TARGET_CONTENT_TYPES } from '@scriptorium/shared/jobs/convert';
import type { Request } from 'express';
import { z } from 'zod';
import type { Reply } from '../context.ts';
import type { Route } from '../route.ts';
import { CONVERSION_HEADERS, sendDocument } from './conversion-answer.ts';
import { putInputs, takeResult } from './job-blobs.ts';
import { type JobParts, refuseEarly, runOptions } from './job-parts.ts';

const { pdf: PDF_TYPE, ...otherTypes } = TARGET_CONTENT_TYPES;
const OTHER_TYPES = Object.values(otherTypes);

export type ConvertParts = JobParts<typeof convertJob>;

export function convertRoute(parts: ConvertParts): Route {
  return {
    method: 'post',
    path: '/v1/convert',
    access: 'key',
    tag: 'Documents',
    operation: 'convert',
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
          ...CONVERSION_HEADERS,
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
    middleware: [refuseEarly(parts, (request) => validate(convertOptions, request.query)), parts.receive],
    handle: (request, response) => answerConversion(parts, request, response),
  };
}

async function answerConversion(parts: ConvertParts, request: Request, response: Reply): Promise<void> {
  const options = validate(convertOptions, request.query);
  const file = request.file;
  if (file === undefined) throw new Error('receive leaves a file or throws');
  const { source } = await putInputs(parts.blobs, response, { source: file.buffer });
  const { output, queueMs } = await parts.jobs.run(
    { source, options },
    runOptions(response, parts.queueWaitMsMax, [source]),
  );
  sendDocument(request, response, {
    bytes: await takeResult(parts.blobs, output.result),
    contentType: output.contentType,
    uploadedName: file.originalname,
    ending: options.to,
    report: output.report,
    queueMs,
  });
}
