import { validate } from '@scriptorium/shared/http/validation';
import type { verifyJob } from '@scriptorium/shared/jobs/verify';
import { type Verification, verifyReply } from '@scriptorium/signatures/verify-report';
import type { Request } from 'express';
import type { Reply } from '../context.ts';
import { type Loading, loadSource } from '../requests/load-request.ts';
import { verificationOf, verifyQuery, verifyRequestBody } from '../requests/verify-request.ts';
import type { Route } from '../route.ts';
import { putInputs } from './job-blobs.ts';
import { type JobParts, refuseEarly, runOptions } from './job-parts.ts';
import { sendWrittenJson } from './written-json.ts';

/** How a document is verified that comes as a file, with nothing said of it. */
const AS_USUAL: Verification = { trust: { anchors: [] }, revocation: 'embedded' };

export interface VerifyParts extends JobParts<typeof verifyJob> {
  loading: Loading;
}

export function verifyRoute(parts: VerifyParts): Route {
  return {
    method: 'post',
    path: '/v1/verify',
    access: 'key',
    tag: 'Documents',
    operation: 'verify',
    summary: 'Verify the signatures of a PDF or DOCX',
    description:
      'Says of each signature what was checked, what became of the document afterwards, and why it holds or not. ' +
      'A signature that does not hold is an answer like any other: 200 with `valid: false`. The codes are in docs/verification.md. ' +
      'Takes JSON, or the document alone as the multipart file part `file`.',
    query: verifyQuery,
    body: {
      json: verifyRequestBody,
      file: 'file',
      description: 'The document; all else is as it is by default',
    },
    success: [
      {
        description: 'What the signatures of the document are worth',
        contentType: 'application/json',
        schema: verifyReply,
        headers: {
          'Server-Timing':
            'Milliseconds: `load` (receiving the request, decoding or fetching the document), `queue`, `verify`',
        },
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
    middleware: [refuseEarly(parts, (request) => validate(verifyQuery, request.query)), parts.receive],
    handle: (request, response) => answerVerification(parts, request, response),
  };
}

async function answerVerification(parts: VerifyParts, request: Request, response: Reply): Promise<void> {
  const blobs = await leaveRequest(parts, request, response);
  const loadMs = Date.now() - response.locals.receivedAt;
  const run = runOptions(response, parts.queueWaitMsMax, Object.values(blobs));
  const { output, queueMs } = await parts.jobs.run(blobs, run);
  await sendWrittenJson(response, parts.blobs, output.reply, [
    ['load', loadMs],
    ['queue', queueMs],
    ['verify', output.runMs],
  ]);
}

async function leaveRequest(parts: VerifyParts, request: Request, response: Reply) {
  const { source, verification } = await readRequest(parts, request, response);
  return putInputs(parts.blobs, response, { source, request: Buffer.from(JSON.stringify(verification)) });
}

/** Nothing of the body is kept by the request from then on. */
async function readRequest(
  { loading }: VerifyParts,
  request: Request,
  response: Reply,
): Promise<{ source: Buffer; verification: Verification }> {
  const { file } = request;
  if (file !== undefined) {
    request.file = undefined;
    return { source: file.buffer, verification: AS_USUAL };
  }
  const body = validate(verifyRequestBody, request.body);
  request.body = undefined;
  return { source: await loadSource(body.document, loading, response), verification: verificationOf(body) };
}
