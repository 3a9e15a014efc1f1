import { validate } from '@scriptorium/shared/http/validation';
import type { ChainResult, RunOptions, RunResult } from '@scriptorium/shared/queue/client';
import type { BlobRef, JobDefinition } from '@scriptorium/shared/queue/define-job';
import type { Operation } from '@scriptorium/usage/inbox';
import type { Request } from 'express';
import type { z } from 'zod';
import type { Handler, Middleware, Reply } from '../context.ts';
import type { Route, Success } from '../route.ts';
import { type Answer, sendAnswer } from './answer.ts';
import { putInputs, type Refs } from './blobs.ts';
import { type ErrorGroup, errorsOf } from './error-groups.ts';
import type { DocumentParts } from './parts.ts';

type Job = JobDefinition<z.ZodType, z.ZodType>;

/** The bytes of a request by blob name. The other properties go to `answer` and must not contain parts of the body. */
interface Loaded {
  inputs: Record<string, Buffer>;
}

interface UploadedFile {
  bytes: Buffer;
  name: string;
}

type LoadTools = Pick<DocumentParts, 'loading' | 'seal' | 'sealPassword'> & {
  response: Reply;
  /** Returns the media type that the caller prefers; the first one if the caller accepts none of them. */
  preferred(types: readonly string[]): string;
};

/** A request whose bytes are in the store. */
interface Stored<Query, Bytes extends Loaded> {
  query: Query;
  blobs: Refs<Bytes['inputs']>;
  loaded: Omit<Bytes, 'inputs'>;
  /** Time from the arrival of the request until its bytes were in the store. */
  loadMs: number;
  /** Runs a job of this request; see `JobClient.run`. */
  run<Input extends z.ZodType, Output extends z.ZodType>(
    job: JobDefinition<Input, Output>,
    input: z.input<Input>,
  ): Promise<RunResult<z.output<Output>>>;
  /** The same for a job whose worker forwards the request to a second worker; see `JobClient.runThrough`. */
  runThrough<Input extends z.ZodType, Output extends z.ZodType, Next extends z.ZodType>(
    job: JobDefinition<Input, Output>,
    input: z.input<Input>,
    next: JobDefinition<z.ZodType, Next>,
  ): Promise<ChainResult<z.output<Output>, z.output<Next>>>;
}

/** An operation on a document that workers perform, as input for the pipeline of `documentOperation`. */
interface DocumentOperation<Query extends z.ZodObject, Json extends z.ZodObject, Bytes extends Loaded> {
  path: string;
  operation: Operation;
  summary: string;
  description?: string;
  query?: Query;
  /** For operations with a JSON body: its schema, and the function that loads the inputs of the jobs. */
  json?: { schema: Json; load(body: z.output<Json>, tools: LoadTools): Promise<Bytes> };
  /** For operations with a multipart body: the same for the part `file`. */
  file?: { description: string; load(file: UploadedFile, tools: LoadTools): Bytes };
  /** The jobs of a request. Their queues must have room before the body is read. */
  jobs: { job: Job; isNeeded?(query: z.output<Query>): boolean }[];
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
  const { path, operation: name, summary, description, query, json, file, success } = operation;
  const bodyType = json === undefined ? 'file' : file === undefined ? 'json' : 'either';
  return {
    jobs: operation.jobs.map(({ job }) => job),
    route: (parts) => ({
      method: 'post',
      path,
      access: 'key',
      tag: 'Documents',
      operation: name,
      summary,
      description,
      query,
      body: {
        ...(json && { json: json.schema }),
        ...(file && { file: 'file', description: file.description }),
      } as NonNullable<Route['body']>,
      success,
      errors: errorsOf(operation.errors),
      middleware: [
        refuseEarly(operation, parts),
        (request, response, next) => parts.receive[bodyType](request, response, next),
      ],
      handle: answerWith(operation, parts),
    }),
  };
}

/** Rejects a request before its body is read: for an invalid query, and when stores or workers are not available. */
function refuseEarly<Query extends z.ZodObject>(
  { query: schema, jobs }: Pick<DocumentOperation<Query, z.ZodObject, Loaded>, 'query' | 'jobs'>,
  { checkStores, clients }: DocumentParts,
): Middleware {
  return async (request, _response, next) => {
    const query = readQuery(schema, request);
    await checkStores();
    for (const { job, isNeeded } of jobs)
      if (isNeeded?.(query) ?? true) await clients.of(job).shedder.check();
    next();
  };
}

function answerWith<Query extends z.ZodObject, Json extends z.ZodObject, Bytes extends Loaded>(
  operation: DocumentOperation<Query, Json, Bytes>,
  parts: DocumentParts,
): Handler {
  return async (request, response) => {
    const query = readQuery(operation.query, request);
    const { blobs, loaded } = await storeInputs(operation, parts, request, response);
    const loadMs = Date.now() - response.locals.receivedAt;
    const options = runOptions(response, parts.queueWaitMsMax, Object.values<BlobRef>(blobs));
    const answer = await operation.answer({
      query,
      blobs,
      loaded,
      loadMs,
      run: (job, input) => parts.clients.of(job).jobs.run(input, options),
      runThrough: (job, input, next) => parts.clients.of(job).jobs.runThrough(input, options, next),
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
async function storeInputs<Json extends z.ZodObject, Bytes extends Loaded>(
  loaders: Pick<DocumentOperation<z.ZodObject, Json, Bytes>, 'json' | 'file'>,
  parts: DocumentParts,
  request: Request,
  response: Reply,
) {
  const { inputs, ...loaded } = await load(loaders, parts, request, response);
  return { blobs: await putInputs(parts.blobs, response, inputs as Bytes['inputs']), loaded };
}

function load<Json extends z.ZodObject, Bytes extends Loaded>(
  { json, file }: Pick<DocumentOperation<z.ZodObject, Json, Bytes>, 'json' | 'file'>,
  { loading, seal, sealPassword }: DocumentParts,
  request: Request,
  response: Reply,
): Bytes | Promise<Bytes> {
  const preferred = (types: readonly string[]) => request.accepts([...types]) || (types[0] ?? '');
  const tools = { loading, seal, sealPassword, response, preferred };
  const sent = request.file;
  if (file !== undefined && sent !== undefined) {
    request.file = undefined;
    const loaded = file.load({ bytes: sent.buffer, name: sent.originalname }, tools);
    // The multipart parser lives as long as the request and keeps a reference to the file.
    sent.buffer = Buffer.alloc(0);
    return loaded;
  }
  if (json === undefined) throw new Error('receive leaves a file or throws');
  const body = validate(json.schema, request.body);
  request.body = undefined;
  return json.load(body, tools);
}

function runOptions(response: Reply, queueWaitMsMax: number, blobs: BlobRef[]): RunOptions {
  const { requestId, deadlineAt, signal, inFlight } = response.locals;
  return {
    requestId,
    deadlineAt,
    signal,
    waitMsMax: queueWaitMsMax,
    // Keys with fewer requests in flight are served first.
    priority: (inFlight ?? 1) - 1,
    blobs: blobs.map(({ key }) => key),
  };
}
