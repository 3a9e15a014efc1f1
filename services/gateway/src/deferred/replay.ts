import { randomBytes } from 'node:crypto';
import type { RequestListener } from 'node:http';
import { request as httpRequest, type IncomingMessage } from 'node:http';
import { AppError, type ErrorBody } from '@scriptorium/contracts/errors';
import type { KeyOwner } from '../auth/api-keys.ts';
import { type Middleware, ownerOf } from '../http/context.ts';
import { listenOnLoopback } from '../http/loopback.ts';
import type { Failure } from './job.ts';

const RUN_HEADER = 'x-deferred-run';
const RUN_BYTES = 32;
const RESULT_BYTES_MAX = 128 * 1024 * 1024;
/** The headers of an answer that say something about its document: not those that every answer has. */
const KEPT_HEADER =
  /^(content-disposition|server-timing|x-(?!request-id|ratelimit|content-type|dns|download|frame|permitted|xss).+)$/;

/** A request of a job, and for whom it runs. */
export interface Run {
  jobId: string;
  owner: KeyOwner;
  maySignAsService: boolean;
  /** How long the answer to a batch may wait to be read, ms. */
  stallMsMax?: number;
  path: string;
  accept: string;
  /** In place of those of a JSON body. */
  headers?: Record<string, string> | undefined;
  body: Buffer;
}

export type Outcome =
  | { bytes: Buffer; contentType: string; headers: Record<string, string> }
  | { failure: Failure; retryAfterMs: number };

/** Runs requests of jobs through the same handlers as those of callers. */
export interface Replay {
  /** Returns what `read` makes of the answer. Rejects with the reason of the signal. */
  run<Read>(run: Run, signal: AbortSignal, read: (answer: IncomingMessage) => Promise<Read>): Promise<Read>;
  close(): Promise<void>;
}

/** What an app for jobs has in place of a key check and of limits. */
export interface ReplayMiddleware {
  authenticate: Middleware;
  admit: Middleware;
}

/** The place of jobs among the requests of callers. */
export interface Standing {
  /** A job counts as the last of so many requests in flight. Behind all callers, it would wait as long as one of them sends. */
  inFlight: number;
  isOverBudget(owner: KeyOwner): Promise<boolean>;
}

/**
 * Listens on a port of loopback, for requests of this process only. Each has a number that cannot be guessed, and that is valid
 * while it runs. `appOf` makes the app around the given middleware.
 */
export async function openReplay(
  appOf: (middleware: ReplayMiddleware) => RequestListener,
  standing: Standing,
): Promise<Replay> {
  const runs = new Map<string, Omit<Run, 'body'>>();
  const app = appOf({
    authenticate(request, response, next) {
      const run = runs.get(String(request.headers[RUN_HEADER]));
      if (run === undefined)
        throw new AppError('AUTHENTICATION_ERROR', 'This port is for the service itself.');
      response.locals.owner = run.owner;
      response.locals.isPlain = false;
      response.locals.maySignAsService = run.maySignAsService;
      response.locals.countedAs = run.jobId;
      if (run.stallMsMax !== undefined) response.locals.stallMsMax = run.stallMsMax;
      next();
    },
    async admit(_request, response, next) {
      response.locals.inFlight = standing.inFlight;
      response.locals.isOverBudget = await standing.isOverBudget(ownerOf(response));
      next();
    },
  });
  const { port, close } = await listenOnLoopback(app);
  return {
    async run({ body, ...run }, signal, read) {
      const number = randomBytes(RUN_BYTES).toString('base64url');
      runs.set(number, run);
      try {
        return await read(await send(port, number, { ...run, body }, signal));
      } catch (error) {
        signal.throwIfAborted();
        throw error;
      } finally {
        runs.delete(number);
      }
    },
    close,
  };
}

function send(
  port: number,
  number: string,
  { path, accept, headers: own = { 'content-type': 'application/json' }, body }: Run,
  signal: AbortSignal,
): Promise<IncomingMessage> {
  const headers = {
    accept,
    ...own,
    'content-length': body.length,
    [RUN_HEADER]: number,
  };
  return new Promise((resolve, reject) => {
    const options = { host: '127.0.0.1', port, path, method: 'POST', headers, signal, agent: false };
    httpRequest(options, resolve).on('error', reject).end(body);
  });
}

/** The whole answer. */
export async function outcomeOf(answer: IncomingMessage): Promise<Outcome> {
  const pieces: Buffer[] = [];
  let length = 0;
  for await (const piece of answer) {
    length += piece.length;
    if (length > RESULT_BYTES_MAX)
      return {
        failure: {
          code: 'PAYLOAD_TOO_LARGE',
          message: `The result has more than ${RESULT_BYTES_MAX} bytes.`,
        },
        retryAfterMs: 0,
      };
    pieces.push(piece);
  }
  const bytes = Buffer.concat(pieces);
  if (answer.statusCode === 200)
    return { bytes, contentType: answer.headers['content-type'] ?? '', headers: keptHeaders(answer) };
  const { code, message, requestId, details } = JSON.parse(bytes.toString()) as ErrorBody;
  return {
    failure: { code, message, requestId, ...(details !== undefined && { details }) },
    retryAfterMs: 1_000 * Number(answer.headers['retry-after'] ?? 0),
  };
}

function keptHeaders({ headers }: IncomingMessage): Record<string, string> {
  const kept = Object.entries(headers).filter(([name]) => KEPT_HEADER.test(name));
  return Object.fromEntries(kept.map(([name, value]) => [name, String(value)]));
}
