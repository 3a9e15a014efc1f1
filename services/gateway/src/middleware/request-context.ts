import { workEnded } from '@scriptorium/sealing/idle-memory';
import { newId } from '@scriptorium/shared/ids';
import { acceptLongBody } from '../http/connections.ts';
import type { Middleware } from '../http/context.ts';
import { wireBytesSince } from '../http/wire-bytes.ts';
import type { GatewayEvents } from '../monitoring/events.ts';
import { SEND_MS_MAX } from '../settings/limits.ts';
import { inSpanOf } from './trace.ts';

const CALLER_REQUEST_ID = /^[\w.:-]{1,64}$/;

/** Sets the id and the deadline of the request, detects disconnects and logs the answer. */
export function requestContext(deadlineMs: number, events: GatewayEvents): Middleware {
  return (request, response, next) => {
    const disconnected = new AbortController();
    const now = Date.now();
    const callerId = request.headers['x-request-id'];
    Object.assign(response.locals, {
      requestId: newId('req'),
      callerRequestId:
        typeof callerId === 'string' && CALLER_REQUEST_ID.test(callerId) ? callerId : undefined,
      receivedAt: now,
      deadlineAt: now + deadlineMs,
      signal: disconnected.signal,
      liftTimeLimits() {
        clearTimeout(cutOff);
        acceptLongBody(request);
      },
    });
    response.setHeader('X-Request-Id', response.locals.requestId);
    // A reset frees the bytes in the kernel that a slow caller has not read.
    const cutOff = setTimeout(() => request.socket.resetAndDestroy(), deadlineMs + SEND_MS_MAX).unref();
    // A request that has ended no longer refers to its socket.
    const { socket } = request;
    events.received();
    response.on('close', () => {
      clearTimeout(cutOff);
      workEnded();
      const bytes = wireBytesSince(socket);
      if (response.writableFinished)
        return inSpanOf(response, () =>
          events.answered(request.method, response.statusCode, response.locals, bytes),
        );
      disconnected.abort();
      inSpanOf(response, () => events.callerLeft(request.method, response.locals, bytes));
    });
    next();
  };
}
