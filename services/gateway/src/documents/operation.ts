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

/** The bytes of a request by the names of its blobs. The other properties go to `answer` and must hold nothing of the body. */
interface Loaded {
  inputs: Record<string, Buffer>;
}

interface UploadedFile {
  bytes: Buffer;
  name: string;
}

type LoadTools = Pick<DocumentParts, 'loading' | 'seal'> & { response: Reply };

/** A request whose bytes are in the store. */
interface Stored<Query, Bytes extends Loaded> {
  query: Query;
  blobs: Refs<Bytes['inputs']>;
  loaded: Omit<Bytes, 'inputs'>;
  /** Milliseconds from the arrival of the request until its bytes were in the store. */
  loadMs: number;
  /** Runs a job of this request, as `JobClient.run`. */
  run<Input extends z.ZodType, Output extends z.ZodType>(
    job: JobDefinition<Input, Output>,
    input: z.input<Input>,
  ): Promise<RunResult<z.output<Output>>>;
  /** The same for a job whose worker hands the request on, as `JobClient.runThrough`. */
  runThrough<Input extends z.ZodType, Output extends z.ZodType, Next extends z.ZodType>(
    job: JobDefinition<Input, Output>,
    input: z.input<Input>,
    next: JobDefinition<z.ZodType, Next>,
  ): Promise<ChainResult<z.output<Output>, z.output<Next>>>;
}

/** An operation that workers do on a document; what the pipeline of `documentOperation` needs to know of it. */
interface DocumentOperation<Query extends z.ZodObject, Json extends z.ZodObject, Bytes extends Loaded> {
  path: string;
  operation: Operation;
  summary: string;
  description?: string;
  query?: Query;
  /** Where a JSON body is taken: its schema, and how it becomes the inputs of the jobs. */
  json?: { schema: Json; load(body: z.output<Json>, tools: LoadTools): Promise<Bytes> };
  /** The same for the form part `file`. */
  file?: { description: string; load(file: UploadedFile): Bytes };
  /** The jobs that a request takes. Their queues must have room before its body is read. */
  jobs: { job: Job; isNeeded?(query: z.output<Query>): boolean }[];
  success: Success[];
  errors: ErrorGroup[];
  answer(stored: Stored<z.output<Query>, Bytes>): Promise<Answer>;
}

/** The route of a document operation, and the jobs that it needs clients of. */
export interface DocumentRoute {
  jobs: Job[];
  route(parts: DocumentParts): Route;
}

/**
 * Makes a route of a document operation. The route refuses early, reads the body, puts the inputs into the store, runs the
 * jobs, and sends their results. While workers work, the gateway holds nothing of the body.
 */
export function documentOperation<Query extends z.ZodObject, Json extends z.ZodObject, Bytes extends Loaded>(
  operation: DocumentOperation<Query, Json, Bytes>,
): DocumentRoute {
  const { path, operation: name, summary, description, query, json, file, success } = operation;
  const takes = json === undefined ? 'file' : file === undefined ? 'json' : 'either';
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
        (request, response, next) => parts.receive[takes](request, response, next),
      ],
      handle: answerWith(operation, parts),
    }),
  };
}

/** Refuses a request before its body is read: for its query, and for what stores and workers could not do in time. */
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
  return schema === undefined ? ({} as z.output<Query>) : validate(schema, request.query);
}

/** A function of its own, so that nothing of the body is kept while jobs run: it is in the store from then on. */
async function storeInputs<Json extends z.ZodObject, Bytes extends Loaded>(
  takes: Pick<DocumentOperation<z.ZodObject, Json, Bytes>, 'json' | 'file'>,
  parts: DocumentParts,
  request: Request,
  response: Reply,
) {
  const { inputs, ...loaded } = await load(takes, parts, request, response);
  return { blobs: await putInputs(parts.blobs, response, inputs as Bytes['inputs']), loaded };
}

function load<Json extends z.ZodObject, Bytes extends Loaded>(
  { json, file }: Pick<DocumentOperation<z.ZodObject, Json, Bytes>, 'json' | 'file'>,
  { loading, seal }: DocumentParts,
  request: Request,
  response: Reply,
): Bytes | Promise<Bytes> {
  const sent = request.file;
  if (file !== undefined && sent !== undefined) {
    request.file = undefined;
    const loaded = file.load({ bytes: sent.buffer, name: sent.originalname });
    // The parser of forms, which lives as long as the request, keeps its file.
    sent.buffer = Buffer.alloc(0);
    return loaded;
  }
  if (json === undefined) throw new Error('receive leaves a file or throws');
  const body = validate(json.schema, request.body);
  request.body = undefined;
  return json.load(body, { loading, seal, response });
}

function runOptions(response: Reply, queueWaitMsMax: number, blobs: BlobRef[]): RunOptions {
  const { requestId, deadlineAt, signal, inFlight } = response.locals;
  return {
    requestId,
    deadlineAt,
    signal,
    waitMsMax: queueWaitMsMax,
    // A key that has more in flight waits behind those that have less.
    priority: (inFlight ?? 1) - 1,
    blobs: blobs.map(({ key }) => key),
  };
}
