import type { annotateJob } from '@scriptorium/shared/jobs/annotate';
import { convertJob, TARGET_CONTENT_TYPES } from '@scriptorium/shared/jobs/convert';
import type { Request } from 'express';
import { z } from 'zod';
import type { Reply } from '../context.ts';
import type { LoadGuard } from '../load.ts';
import { annotateQuery, annotateRequest } from '../requests/annotate-request.ts';
import { type Loading, loadAnnotateRequest } from '../requests/load-request.ts';
import type { Route } from '../route.ts';
import { validate } from '../validation.ts';
import { ANNOTATION_HEADERS, showAnnotation } from './annotation-answer.ts';
import { CONVERSION_HEADERS, conversionStages, showConversion } from './conversion-answer.ts';
import { sendJsonDocument } from './document-answer.ts';
import { leaveBlobs, takeBlob } from './job-blobs.ts';
import { type JobParts, refuseEarly, runOptions } from './job-parts.ts';
import { type Stage, showTiming } from './server-timing.ts';

const { docx: DOCX_TYPE, pdf: PDF_TYPE } = TARGET_CONTENT_TYPES;

export interface AnnotateParts extends JobParts<typeof annotateJob> {
  /** Of the converters, for `to=pdf`. */
  conversionLoad: LoadGuard;
  loading: Loading;
}

const annotated = z.strictObject({
  document: z.strictObject({
    base64: z.string().min(1).describe('The result as a data URI: `data:<contentType>;base64,…`'),
    contentType: z.enum([DOCX_TYPE, PDF_TYPE]),
  }),
});

export function annotateRoute(parts: AnnotateParts): Route {
  return {
    method: 'post',
    path: '/v1/annotate',
    access: 'key',
    tag: 'Documents',
    operation: 'annotate',
    summary: 'Fill the fields of a DOCX template',
    description:
      'Fields are the content controls of the template, named by their tag, title or number, and `{placeholders}` in its text. ' +
      'What is not filled stays as it is. `POST /v1/templates/inspect` lists the fields of a template. ' +
      'An entry without `type` is a `table` where its value is an array, and a `text` otherwise.',
    query: annotateQuery,
    body: { json: annotateRequest },
    success: [
      {
        description: 'The filled document',
        contentType: 'application/json',
        schema: annotated,
        headers: {
          ...ANNOTATION_HEADERS,
          ...ofPdf(CONVERSION_HEADERS),
          'Server-Timing':
            'Milliseconds: `load` (receiving the request, decoding and fetching what it names), `queue`, `annotate`; with `to=pdf` also `gate` and `convert`',
        },
      },
    ],
    errors: [
      'VALIDATION_ERROR',
      'INVALID_FILE_FORMAT',
      'DOCUMENT_ENCRYPTED',
      'DOCUMENT_TOO_COMPLEX',
      'DOCUMENT_FETCH_FAILED',
      'IMAGE_INVALID',
      'FIELD_NOT_FOUND',
      'PAYLOAD_TOO_LARGE',
      'UNSUPPORTED_MEDIA_TYPE',
      'CONVERSION_FAILED',
    ],
    middleware: [refuseEarly(parts, (request) => validate(annotateQuery, request.query)), parts.receive],
    handle: (request, response) => answerAnnotation(parts, request, response),
  };
}

async function answerAnnotation(parts: AnnotateParts, request: Request, response: Reply): Promise<void> {
  const { to, ...options } = validate(annotateQuery, request.query);
  const blobs = await leaveRequest(parts, request, response);
  const job = { ...blobs, options, to };
  const run = runOptions(response, parts.queueWaitMsMax, Object.values(blobs));
  const load: Stage = ['load', Date.now() - response.locals.receivedAt];
  if (to === 'docx') {
    const { output, queueMs } = await parts.jobs.run(job, run);
    const bytes = await takeBlob(parts.blobs, output.result);
    showAnnotation(response, output.report);
    showTiming(response, [load, ['queue', queueMs], ['annotate', output.report.runMs]]);
    return sendJsonDocument(response, bytes, DOCX_TYPE);
  }
  const { first, output, queueMs } = await parts.jobs.runThrough(job, run, convertJob);
  const bytes = await takeBlob(parts.blobs, output.result);
  showAnnotation(response, first.report);
  showConversion(response, output.report);
  showTiming(response, [load, ['annotate', first.report.runMs], ...conversionStages(output.report, queueMs)]);
  await sendJsonDocument(response, bytes, PDF_TYPE);
}

/** Nothing of the body is kept here: what it held lies in the store from then on. */
async function leaveRequest(parts: AnnotateParts, request: Request, response: Reply) {
  const body = validate(annotateRequest, request.body);
  request.body = undefined;
  const { source, fieldValues, images } = await loadAnnotateRequest(body, parts.loading, response);
  const fields = Buffer.from(JSON.stringify(fieldValues));
  return images.length === 0
    ? leaveBlobs(parts.blobs, response, { source, fields })
    : leaveBlobs(parts.blobs, response, { source, fields, images });
}

const ofPdf = (headers: Record<string, string>): Record<string, string> =>
  Object.fromEntries(
    Object.entries(headers).map(([name, text]) => [
      name,
      `With \`to=pdf\`: ${text[0]?.toLowerCase()}${text.slice(1)}`,
    ]),
  );
