import { validate } from '@scriptorium/shared/http/validation';
import { type convertJob, convertOptions, TARGET_CONTENT_TYPES } from '@scriptorium/shared/jobs/convert';
import { signJob } from '@scriptorium/shared/jobs/sign';
import type { BlobRef } from '@scriptorium/shared/queue/define-job';
import { type SignReply, signReply } from '@scriptorium/signatures/sign-request';
import type { Request } from 'express';
import { z } from 'zod';
import { ownerOf, type Reply } from '../context.ts';
import type { LoadShedder } from '../load-shedding.ts';
import { requireSubmit } from '../requests/audit-trail.ts';
import { type Loading, loadWithImages } from '../requests/load-request.ts';
import { signQuery, signRequestBody } from '../requests/sign-request.ts';
import { APPEARANCE_IMAGE, type SealKey, signingKeyOf, signingOf } from '../requests/signing.ts';
import type { Route } from '../route.ts';
import { CONVERSION_HEADERS, conversionStages, showLosses } from './conversion-answer.ts';
import { sendJsonDocument } from './document-answer.ts';
import { putInputs, takeResult } from './job-blobs.ts';
import { type ClientOf, type JobParts, refuseEarly, runOptions } from './job-parts.ts';
import { type Stage, showTiming } from './server-timing.ts';

const { docx: DOCX_TYPE, pdf: PDF_TYPE } = TARGET_CONTENT_TYPES;
/** A document becomes a PDF to be signed as any does that is converted without options. */
const TO_PDF = convertOptions.parse({ from: 'docx', to: 'pdf' });
/** Local file header (APPNOTE 4.3.7), with which a DOCX begins. */
const ZIP_MAGIC = Buffer.from('PK\x03\x04', 'latin1');

export interface SignParts extends JobParts<typeof signJob> {
  /** Of the converters, for `to=pdf`. */
  conversions: ClientOf<typeof convertJob>;
  conversionShedder: LoadShedder;
  loading: Loading;
  seal: SealKey;
}

const signedType = z.enum([DOCX_TYPE, PDF_TYPE]);
const signed = z.strictObject({
  document: z.strictObject({
    base64: z.string().min(1).describe('The result as a data URI: `data:<contentType>;base64,…`'),
    contentType: signedType,
  }),
  ...signReply.shape,
});

export function signRoute(parts: SignParts): Route {
  return {
    method: 'post',
    path: '/v1/sign',
    access: 'key',
    tag: 'Documents',
    operation: 'sign',
    summary: 'Sign a PDF or DOCX',
    description:
      'A PDF gets a PAdES signature, a DOCX one that Office shows (OPC, XAdES); the service’s own key signs unless `key` says otherwise. ' +
      'The audit trail is sealed by the signature. Keys that callers send are passed on encrypted, and kept by nobody.',
    query: signQuery,
    body: { json: signRequestBody },
    success: [
      {
        description:
          'The signed document; of a key that the caller keeps, without its signature yet, what is to be signed',
        contentType: 'application/json',
        schema: signed,
        headers: {
          'X-Conversion-Warnings': ofConversion('X-Conversion-Warnings'),
          'X-Conversion-Report': ofConversion('X-Conversion-Report'),
          'Server-Timing':
            'Milliseconds: `load` (receiving the request, decoding and fetching what it names), `queue`, `sign`; of a DOCX with `to=pdf` also `gate` and `convert`',
        },
      },
    ],
    errors: [
      'VALIDATION_ERROR',
      'INVALID_FILE_FORMAT',
      'DOCUMENT_ENCRYPTED',
      'DOCUMENT_TOO_COMPLEX',
      'DOCUMENT_FETCH_FAILED',
      'DOCUMENT_LOCKED',
      'FIELD_ALREADY_SIGNED',
      'UNSUPPORTED_LEVEL',
      'SIGNING_KEY_INVALID',
      'IMAGE_INVALID',
      'PAYLOAD_TOO_LARGE',
      'UNSUPPORTED_MEDIA_TYPE',
      'UNPROCESSABLE',
      'CONVERSION_FAILED',
      'TIMESTAMP_UNAVAILABLE',
      'REVOCATION_UNAVAILABLE',
      'REMOTE_SIGNER_FAILED',
    ],
    middleware: [refuseEarly(parts, (request) => validate(signQuery, request.query)), parts.receive],
    handle: (request, response) => answerSigning(parts, request, response),
  };
}

async function answerSigning(parts: SignParts, request: Request, response: Reply): Promise<void> {
  const { to } = validate(signQuery, request.query);
  const { blobs, isZip } = await leaveRequest(parts, request, response);
  const load: Stage = ['load', Date.now() - response.locals.receivedAt];
  const run = to === 'pdf' && isZip ? signConverted : signAsItIs;
  const { output, stages } = await run(parts, blobs, response);
  const [bytes, reply] = await Promise.all([
    takeResult(parts.blobs, output.result),
    takeResult(parts.blobs, output.reply),
  ]);
  const contentType = signedType.parse(output.contentType);
  showTiming(response, [load, ...stages, ['sign', output.runMs]]);
  await sendJsonDocument(response, bytes, contentType, readReply(reply));
}

interface RequestBlobs {
  source: BlobRef;
  request: BlobRef;
  images?: BlobRef;
}

interface Answer {
  output: z.output<typeof signJob.output>;
  /** Before the signing. */
  stages: Stage[];
}

async function signAsItIs(parts: SignParts, blobs: RequestBlobs, response: Reply): Promise<Answer> {
  const run = runOptions(response, parts.queueWaitMsMax, Object.values(blobs));
  const { output, queueMs } = await parts.jobs.run(blobs, run);
  return { output, stages: [['queue', queueMs]] };
}

async function signConverted(
  parts: SignParts,
  { source, ...thenSign }: RequestBlobs,
  response: Reply,
): Promise<Answer> {
  const run = runOptions(response, parts.queueWaitMsMax, [source, ...Object.values(thenSign)]);
  const job = { source, options: TO_PDF, thenSign };
  const { first, output, queueMs } = await parts.conversions.runThrough(job, run, signJob);
  showLosses(response, first.report);
  return { output, stages: conversionStages(first.report, queueMs) };
}

/** Nothing of the body is kept here: what it held lies in the store from then on, and keys in it are sealed. */
async function leaveRequest(parts: SignParts, request: Request, response: Reply) {
  const body = validate(signRequestBody, request.body);
  request.body = undefined;
  requireSubmit(body.auditTrail);
  const key = signingKeyOf(
    body.key,
    (callerKey) => parts.seal(callerKey, response.locals.requestId),
    ownerOf(response).id,
  );
  const image = body.appearance?.image;
  const named = new Map(image === undefined ? [] : [[APPEARANCE_IMAGE, image]]);
  const { source, images } = await loadWithImages(body.document, named, parts.loading, response);
  const signing = Buffer.from(JSON.stringify(signingOf(body, key, images.places)));
  const left = { source, request: signing };
  const blobs: RequestBlobs =
    image === undefined
      ? await putInputs(parts.blobs, response, left)
      : await putInputs(parts.blobs, response, { ...left, images: images.bytes });
  return { blobs, isZip: source.subarray(0, ZIP_MAGIC.length).equals(ZIP_MAGIC) };
}

function readReply(bytes: Buffer): SignReply {
  return signReply.parse(JSON.parse(bytes.toString()));
}

function ofConversion(header: keyof typeof CONVERSION_HEADERS): string {
  const text = CONVERSION_HEADERS[header];
  return `Of a DOCX with \`to=pdf\`: ${text[0]?.toLowerCase()}${text.slice(1)}`;
}
