import { AppError, errorBody, toAppError } from '@scriptorium/shared/errors';
import type { NextFunction, Request } from 'express';
import type { Reply } from '../context.ts';
import type { GatewayEvents } from '../events.ts';

const RETRY_AFTER_SECONDS = 5;

/** The last handler: turns whatever was thrown into the Error response, and its cause into a log line. */
export function answerErrors(events: GatewayEvents) {
  return (thrown: unknown, _request: Request, response: Reply, _next: NextFunction): void => {
    const context = response.locals;
    if (response.destroyed) return;
    if (response.headersSent) {
      events.brokenOff(thrown, context);
      response.destroy();
      return;
    }
    const error = isMalformedUrl(thrown)
      ? new AppError('VALIDATION_ERROR', 'The address is malformed.', {
          details: [{ field: 'path', issue: 'is malformed' }],
        })
      : toAppError(thrown);
    events.refused(error, context);
    const seconds = retryAfterSeconds(error);
    if (seconds !== undefined) response.setHeader('Retry-After', seconds);
    response.status(error.status).json(errorBody(error, context.requestId));
  };
}

/** Express throws this for `%` sequences that are no UTF-8. */
function isMalformedUrl(error: unknown): boolean {
  return error instanceof URIError || (error instanceof Error && 'status' in error && error.status === 400);
}

/** 429 and 503 always say when to come back. */
function retryAfterSeconds(error: AppError): number | undefined {
  const isWait = error.status === 429 || error.status === 503;
  return error.retryAfterSeconds ?? (isWait ? RETRY_AFTER_SECONDS : undefined);
}
