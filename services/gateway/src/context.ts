import type { KeyOwner } from '@scriptorium/shared/db/api-keys';
import type { OpenSpan } from '@scriptorium/shared/tracing/trace';
import type { NextFunction, Request, Response } from 'express';

/** What the gateway knows of a request while it answers it. */
export interface RequestContext {
  requestId: string;
  /** The caller's own `X-Request-Id`, where it is a sane one; for the log only. */
  callerRequestId: string | undefined;
  /** Epoch milliseconds. */
  receivedAt: number;
  deadlineAt: number;
  /** Aborted when the caller's connection closes before the answer is out. */
  signal: AbortSignal;
  /** Set once the key has been checked. */
  owner?: KeyOwner;
  /** Requests of this key in flight, this one included. */
  inFlight?: number;
  /** Pattern of the matched route, for logs and metrics. */
  route?: string;
  /** Where the request is traced. What runs on events of its connection is not within it by itself. */
  span?: OpenSpan | undefined;
}

export type Reply = Response<unknown, RequestContext>;
export type Middleware = (request: Request, response: Reply, next: NextFunction) => void | Promise<void>;
export type Handler = (request: Request, response: Reply) => void | Promise<void>;

/** The key's owner; only for handlers of routes with `access: 'key'`. */
export function ownerOf(response: Reply): KeyOwner {
  const { owner } = response.locals;
  if (owner === undefined) throw new Error('the route has no key check');
  return owner;
}
