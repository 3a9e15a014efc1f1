import { inspection } from '@scriptorium/docx-template/inspection';
import { validate } from '@scriptorium/shared/http/validation';
import type { inspectJob } from '@scriptorium/shared/jobs/inspect';
import type { Request } from 'express';
import type { Reply } from '../context.ts';
import { inspectRequest } from '../requests/inspect-request.ts';
import { type Loading, loadSource } from '../requests/load-request.ts';
import type { Route } from '../route.ts';
import { putInputs } from './job-blobs.ts';
import { type JobParts, refuseEarly, runOptions } from './job-parts.ts';
import { sendWrittenJson } from './written-json.ts';

export interface InspectParts extends JobParts<typeof inspectJob> {
  loading: Loading;
}

export function inspectRoute(parts: InspectParts): Route {
  return {
    method: 'post',
    path: '/v1/templates/inspect',
    access: 'key',
    tag: 'Documents',
    operation: 'inspect',
    summary: 'List the fields of a DOCX template',
    body: { json: inspectRequest },
    success: [
      {
        description: 'The fields, and a JSON Schema of the `fields` that fill them',
        contentType: 'application/json',
        schema: inspection,
        headers: { 'Server-Timing': 'Milliseconds: `queue`, `inspect`' },
      },
    ],
    errors: [
      'VALIDATION_ERROR',
      'INVALID_FILE_FORMAT',
      'DOCUMENT_ENCRYPTED',
      'DOCUMENT_TOO_COMPLEX',
      'DOCUMENT_FETCH_FAILED',
      'PAYLOAD_TOO_LARGE',
      'UNSUPPORTED_MEDIA_TYPE',
    ],
    middleware: [refuseEarly(parts), parts.receive],
    handle: (request, response) => answerInspection(parts, request, response),
  };
}

async function answerInspection(parts: InspectParts, request: Request, response: Reply): Promise<void> {
  const source = await leaveDocument(parts, request, response);
  const run = runOptions(response, parts.queueWaitMsMax, [source]);
  const { output, queueMs, runMs } = await parts.jobs.run({ source }, run);
  await sendWrittenJson(response, parts.blobs, output.result, [
    ['queue', queueMs],
    ['inspect', runMs],
  ]);
}

async function leaveDocument(parts: InspectParts, request: Request, response: Reply) {
  const { document } = validate(inspectRequest, request.body);
  request.body = undefined;
  const { source } = await putInputs(parts.blobs, response, {
    source: await loadSource(document, parts.loading, response),
  });
  return source;
}
