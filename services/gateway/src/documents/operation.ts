import type { BlobRef, JobDefinition } from '@scriptorium/contracts/define-job';
import { TARGET_CONTENT_TYPES } from '@scriptorium/contracts/jobs/convert';
import { invalid, validate } from '@scriptorium/shared/http/validation';
import type { ChainResult, RunOptions, RunResult } from '@scriptorium/shared/queue/client';
import type { Operation } from '@scriptorium/usage/inbox';
import type { Request } from 'express';
import type { z } from 'zod';
import { resultFields } from '../deferred/fields.ts';
import type { Handler, Middleware, Reply } from '../http/context.ts';
import type { Example, FormBody, Route, Success } from '../http/route.ts';
import { OVER_BUDGET_PRIORITY, shareOf } from '../limits/owner-share.ts';
import { BODY_BOUNDS, DATA_BOUNDS } from '../middleware/json-bounds.ts';
import { takeFiles, takeText, type UploadedFile } from '../middleware/receive-files.ts';
import { type Answer, sendAnswer } from './answer.ts';
import { type PutInputs, putInputs, type Refs } from './blobs.ts';
import { type ErrorGroup, errorsOf } from './error-groups.ts';
import { type PartRunner, partRunner } from './part-runner.ts';
import type { DocumentParts } from './parts.ts';
import { takeUpload } from './upload.ts';

type Job = JobDefinition<z.ZodType, z.ZodType>;

/** The bytes of a request by blob name. The other properties go to `answer` and must not contain parts of the body. */
interface Loaded {
  inputs: Record<string, Buffer>;
}

export type LoadTools<Query = unknown> = Pick<DocumentParts, 'loading' | 'seal' | 'sealPassword'> & {
  query: Query;
  response: Reply;
  /** Returns the media type that the caller prefers; the first one if the caller accepts none of them. */
  preferred(types: readonly string[]): string;
  /** The same. Throws VALIDATION_ERROR if the caller accepts none of them. */
  offer(types: readonly string[]): string;
  /**
   * Returns the type of an answer with a document of type `contentType`: JSON, this type, or bytes. It is JSON for callers who
   * accept none of them. Throws VALIDATION_ERROR for callers who ask for another type of document.
   */
  documentOr(contentType: string): string;
};

/** A request whose bytes are in the store. */
interface Stored<Query, Bytes extends Loaded> extends PartRunner {
  query: Query;
  blobs: Refs<Bytes['inputs']>;
  loaded: Omit<Bytes, 'inputs'>;
  /** Returns what to sign with in a form that only signers can use. */
  forSigner(request: BlobRef, images: BlobRef | undefined): ReturnType<DocumentParts['forSigner']>;
  /** Time from the arrival of the request until its bytes were in the store. */
  loadMs: number;
  /** Runs a job of this request; see `JobClient.run`. */
  run<Input extends z.ZodType, Output extends z.ZodType>(
    job: JobDefinition<Input, Output>,
    input: z.input<Input>,
  ): Promise<RunResult<z.output<Output>>>;
  /** The same for a job whose worker forwards the request to the workers of later jobs; see `JobClient.runThrough`. */
  runThrough<Input extends z.ZodType, Output extends z.ZodType>(
    job: JobDefinition<Input, Output>,
    input: z.input<Input>,
    later: readonly Job[],
  ): Promise<ChainResult>;
}

/** An operation on a document that workers perform, as input for the pipeline of `documentOperation`. */
interface DocumentOperation<Query extends z.ZodObject, Json extends z.ZodObject, Bytes extends Loaded> {
  operationId: string;
  path: string;
  operation: Operation;
  summary: string;
  description?: string;
  query?: Query;
  /**
   * The JSON body: its schema, and the function that loads the inputs of the jobs. Unless there are `files`, it has a `document`,
   * and may be a form. The part `file` is the document, and the part `request` is everything else.
   */
  json: {
    schema: Json;
    /** The body may contain any JSON value of the caller, which the bounds of data permit. */
    hasData?: boolean;
    /** The body has no `document`. It is JSON only. */
    hasNoDocument?: boolean;
    load(body: z.output<Json>, tools: LoadTools<z.output<Query>>): Promise<Bytes>;
  };
  /** For a form with several parts `file`, and a part `options` with JSON. */
  files?: {
    description: string;
    max: number;
    options: z.ZodType;
    load(
      files: readonly UploadedFile[],
      options: Buffer | undefined,
      tools: LoadTools<z.output<Query>>,
    ): Bytes;
  };
  example: Example;
  /** The jobs of a request. Their queues must have room before the body is read, or before its documents are loaded. */
  jobs: {
    job: Job;
    isNeeded?(query: z.output<Query>): boolean;
    isNeededBy?(body: z.output<Json>): boolean;
  }[];
  success: Success[];
  errors: ErrorGroup[];
  answer(stored: Stored<z.output<Query>, Bytes>): Promise<Answer>;
}

/** The route of a document operation, and the jobs for which it needs clients. */
export interface DocumentRoute {
  jobs: Job[];
  route(parts: DocumentParts): Route;
}

/**
 * Makes the route of a document operation. The route performs the early checks, reads the body, puts the inputs into the
 * store, runs the jobs and sends their results. While the workers run, the gateway does not hold the body in memory.
 */
export function documentOperation<Query extends z.ZodObject, Json extends z.ZodObject, Bytes extends Loaded>(
  operation: DocumentOperation<Query, Json, Bytes>,
): DocumentRoute {
  const { operationId, path, operation: name, summary, description, query, json, files } = operation;
  return {
    jobs: operation.jobs.map(({ job }) => job),
    route: (parts) => ({
      operationId,
      method: 'post',
      path,
      access: 'key',
      tag: 'Documents',
      operation: name,
      deferral: { fields: resultFields, check: (sent) => void validate(json.schema, sent) },
      queues: operation.jobs.filter(({ isNeededBy }) => isNeededBy === undefined).map(({ job }) => job.name),
      summary,
      description,
      query,
      body: {
        json: json.schema,
        ...(!json.hasNoDocument && { form: formOf(files) }),
      },
      example: operation.example,
      success: operation.success,
      errors: errorsOf(operation.errors),
      middleware: [
        refuseEarly(operation, parts),
        (request, response, next) => parts.receive[bodyTypeOf(operation)](request, response, next),
      ],
      handle: answerWith(operation, parts),
    }),
  };
}

const formOf = (files: DocumentOperation<z.ZodObject, z.ZodObject, Loaded>['files']): FormBody =>
  files === undefined
    ? { description: 'The document' }
    : { description: files.description, filesMax: files.max, texts: { options: files.options } };

function bodyTypeOf({
  json: { hasData },
  files,
}: {
  json: { hasData?: boolean };
  files?: unknown;
}): keyof DocumentParts['receive'] {
  if (files !== undefined) return 'documents';
  return hasData ? 'data' : 'json';
}

/** Rejects a request before its body is read: for an invalid query, and when stores or workers are not available. */
function refuseEarly<Query extends z.ZodObject>(
  { query: schema, jobs }: Pick<DocumentOperation<Query, never, Loaded>, 'query' | 'jobs'>,
  { checkStores, clients }: DocumentParts,
): Middleware {
  return async (request, response, next) => {
    const query = readQuery(schema, request);
    await checkStores();
    for (const { job, isNeeded, isNeededBy } of jobs)
      if (isNeededBy === undefined && (isNeeded?.(query) ?? true))
        await clients.of(job).shedder.check(response.locals.waiting?.[job.name]);
    next();
  };
}

function answerWith<Query extends z.ZodObject, Json extends z.ZodObject, Bytes extends Loaded>(
  operation: DocumentOperation<Query, Json, Bytes>,
  parts: DocumentParts,
): Handler {
  return async (request, response) => {
    const query = readQuery(operation.query, request);
    const { refs: blobs, stored, loaded } = await storeInputs(operation, parts, { request, response, query });
    const loadMs = Date.now() - response.locals.receivedAt;
    const keys = Object.values<BlobRef>(blobs).map(({ key }) => key);
    const options = { ...runOptions(response, parts.queueWaitMsMax), blobs: keys, stored };
    const answer = await operation.answer({
      query,
      blobs,
      loaded,
      loadMs,
      forSigner: (request, images) => parts.forSigner(response.locals.requestId, request, images),
      run: (job, input) => parts.clients.of(job).jobs.run(input, options),
      runThrough: (job, input, later) => parts.clients.of(job).jobs.runThrough(input, options, later),
      ...partRunner(parts, options),
    });
    await sendAnswer(request, response, parts.blobs, answer);
  };
}

function readQuery<Query extends z.ZodObject>(schema: Query | undefined, request: Request): z.output<Query> {
  return schema === undefined
    ? ({} as z.output<Query>)
    : validate(schema, request.query, { within: 'query' });
}

/** A separate function, so that no local variable keeps the body in memory while the jobs run. */
async function storeInputs<Query extends z.ZodObject, Json extends z.ZodObject, Bytes extends Loaded>(
  operation: DocumentOperation<Query, Json, Bytes>,
  parts: DocumentParts,
  { request, response, query }: { request: Request; response: Reply; query: z.output<Query> },
): Promise<PutInputs<Bytes['inputs']> & { loaded: Omit<Bytes, 'inputs'> }> {
  const { inputs, ...loaded } = await load(operation, parts, request, response, query);
  return { ...(await putInputs(parts.blobs, response.locals, inputs as Bytes['inputs'])), loaded };
}

async function load<Query extends z.ZodObject, Json extends z.ZodObject, Bytes extends Loaded>(
  { json, files, jobs }: Pick<DocumentOperation<Query, Json, Bytes>, 'json' | 'files' | 'jobs'>,
  { loading, seal, sealPassword, clients }: DocumentParts,
  request: Request,
  response: Reply,
  query: z.output<Query>,
): Promise<Bytes> {
  const tools = { loading, seal, sealPassword, query, response, ...negotiation(request) };
  const sent = files === undefined ? [] : takeFiles(request);
  if (files !== undefined && sent.length > 0) return files.load(sent, takeText(request, 'options'), tools);
  const bounds = json.hasData ? DATA_BOUNDS : BODY_BOUNDS;
  const body = takeUpload(request, json.schema, bounds) ?? validate(json.schema, request.body);
  request.body = undefined;
  for (const { job, isNeededBy } of jobs) if (isNeededBy?.(body)) await clients.of(job).shedder.check();
  return json.load(body, tools);
}

const JSON_TYPE = 'application/json';
const BYTES_TYPE = 'application/octet-stream';
const { docx: DOCX_TYPE, pdf: PDF_TYPE } = TARGET_CONTENT_TYPES;

function negotiation(request: Request): Pick<LoadTools, 'preferred' | 'offer' | 'documentOr'> {
  const refuse = (types: readonly string[]): never => {
    const issue = `must include one of ${types.map((name) => `\`${name}\``).join(', ')}`;
    throw invalid([{ field: 'headers.accept', issue }]);
  };
  return {
    preferred: (types) => request.accepts([...types]) || (types[0] ?? ''),
    offer: (types) => request.accepts([...types]) || refuse(types),
    documentOr(contentType) {
      const types = [JSON_TYPE, contentType, BYTES_TYPE];
      const asksForOther = (): boolean => request.accepts([DOCX_TYPE, PDF_TYPE]) !== false;
      return request.accepts(types) || (asksForOther() ? refuse(types) : JSON_TYPE);
    },
  };
}

/** How the jobs of a request run: its deadline, its share and its priority. */
export function runOptions(response: Reply, queueWaitMsMax: number): Omit<RunOptions, 'blobs'> {
  const { requestId, deadlineAt, signal, inFlight } = response.locals;
  const share = shareOf(response);
  return {
    requestId,
    deadlineAt,
    signal,
    waitMsMax: queueWaitMsMax,
    share,
    // Keys with fewer requests in flight are served first, and owners over their budget after the others.
    priority: (share.isOverBudget ? OVER_BUDGET_PRIORITY : 0) + (inFlight ?? 1) - 1,
  };
}
