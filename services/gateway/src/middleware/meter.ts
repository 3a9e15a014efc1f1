import type { Operation } from '@scriptorium/usage/inbox';
import type { OperationRecorder } from '@scriptorium/usage/operations';
import { type Middleware, ownerOf } from '../http/context.ts';

/**
 * Counts the request for the owner of its key after a complete answer with status 2xx. It counts once per request id, even
 * if the job ran twice. The answer does not wait for it.
 */
export function meter(operations: OperationRecorder, operation: Operation): Middleware {
  return (_request, response, next) => {
    const { ownerHash, rights } = ownerOf(response);
    // Trial keys leave nothing in the database.
    if (rights.origin === 'trial') return next();
    response.on('close', () => {
      const isAnswered = response.writableFinished && response.statusCode >= 200 && response.statusCode < 300;
      const { requestId, countedAs = requestId } = response.locals;
      if (isAnswered) operations.record(operation, ownerHash, countedAs);
    });
    next();
  };
}
