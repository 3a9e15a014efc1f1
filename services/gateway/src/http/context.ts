import type { OpenSpan } from '@scriptorium/shared/tracing/trace';
import type { NextFunction, Request, Response } from 'express';
import type { KeyOwner } from '../auth/api-keys.ts';

/** Jobs of a queue that no worker has started: all of them, and those that are served before a request. */
export interface WaitingJobs {
  all: number;
  before: number;
}

/** The state of a request while the gateway processes it. */
export interface RequestContext {
  requestId: string;
  /** The `X-Request-Id` that the caller sent, if it is well-formed. For the log only. */
  callerRequestId: string | undefined;
  /** Epoch milliseconds. */
  receivedAt: number;
  deadlineAt: number;
  /** Aborted when the connection closes before the answer has been sent. */
  signal: AbortSignal;
  /** Lifts the time limits of the request and its answer. The handler must then bound both in another way. */
  liftTimeLimits(): void;
  /** Set once the key has been checked. */
  owner?: KeyOwner;
  /** Whether the key may sign with the key of the service. Set with `owner`. */
  maySignAsService?: boolean;
  /** Requests of this key in flight, this one included. */
  inFlight?: number;
  /** Whether its owner has used up the engine time of this minute. Set with `inFlight`. */
  isOverBudget?: boolean;
  /** Keeps the place of a long request among the requests of its key in flight. Set with `inFlight`. */
  renewPlace?(): Promise<void>;
  /** Jobs that no worker had started when the request was admitted, by queue of its route. */
  waiting?: Record<string, WaitingJobs>;
  /** What the usage counts the request as: the job for which it runs. By default its id. */
  countedAs?: string;
  /** How long the answer to a batch may wait to be read, ms. */
  stallMsMax?: number;
  /** Errors are sent as plain text. */
  isPlain?: boolean;
  /** Pattern of the matched route, for logs and metrics. */
  route?: string;
  /** Set if the request is traced. Handlers of connection events do not run within it automatically. */
  span?: OpenSpan | undefined;
}

export type Reply = Response<unknown, RequestContext>;
export type Middleware = (request: Request, response: Reply, next: NextFunction) => void | Promise<void>;
export type Handler = (request: Request, response: Reply) => void | Promise<void>;

/** Returns the owner of the key. Only for handlers of routes with `access: 'key'`. */
export function ownerOf(response: Reply): KeyOwner {
  const { owner } = response.locals;
  if (owner === undefined) throw new Error('the route has no key check');
  return owner;
}
