import { AppError } from '@scriptorium/contracts/errors';
import { sendError } from '@scriptorium/shared/http/answers';
import { toAppError } from '@scriptorium/shared/to-app-error';
import { failCurrentSpan } from '@scriptorium/shared/tracing/trace';
import type { NextFunction, Request } from 'express';
import type { Reply } from '../http/context.ts';
import type { GatewayEvents } from '../monitoring/events.ts';
import { inSpanOf } from './trace.ts';

/** The last handler: turns an error into the Error response, and logs its cause. */
export function answerErrors(events: GatewayEvents) {
  return (thrown: unknown, _request: Request, response: Reply, _next: NextFunction): void => {
    const context = response.locals;
    if (response.destroyed) return;
    if (response.headersSent) {
      inSpanOf(response, () => events.brokenOff(thrown, context));
      response.destroy();
      return;
    }
    // Express throws a URIError for `%` sequences that are not valid UTF-8.
    const error =
      thrown instanceof URIError
        ? new AppError('VALIDATION_ERROR', 'The path of the request is malformed.', {
            details: [{ field: 'path', issue: 'is malformed' }],
          })
        : toAppError(thrown);
    inSpanOf(response, () => {
      failCurrentSpan(error);
      events.refused(error, context);
    });
    // The rest of a body that comes too slowly is not waited for.
    if (error.code === 'REQUEST_TIMEOUT') response.setHeader('Connection', 'close');
    if (context.isPlain && error.status === 401)
      response.setHeader('WWW-Authenticate', ['Bearer', 'Basic realm="API key"']);
    sendError(response, error, context.requestId, context.isPlain);
  };
}
