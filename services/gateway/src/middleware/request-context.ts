import { newId } from '@scriptorium/shared/ids';
import type { Middleware } from '../context.ts';
import type { GatewayEvents } from '../events.ts';
import { inSpanOf } from './trace.ts';
import { wireBytesSince } from './wire-bytes.ts';

/** For a slow reader, after the deadline. */
export const SEND_MS_MAX = 60_000;

const SANE_ID = /^[\w.:-]{1,64}$/;

/** Gives the request its id and deadline, notices a caller that leaves, and logs the answer. */
export function requestContext(deadlineMs: number, events: GatewayEvents): Middleware {
  return (request, response, next) => {
    const left = new AbortController();
    const now = Date.now();
    const sent = request.headers['x-request-id'];
    Object.assign(response.locals, {
      requestId: newId('req'),
      callerRequestId: typeof sent === 'string' && SANE_ID.test(sent) ? sent : undefined,
      receivedAt: now,
      deadlineAt: now + deadlineMs,
      signal: left.signal,
    });
    response.setHeader('X-Request-Id', response.locals.requestId);
    // With a reset: what a slow reader has not taken would stay in the kernel's memory until he has.
    const cutOff = setTimeout(() => request.socket.resetAndDestroy(), deadlineMs + SEND_MS_MAX).unref();
    // Kept here, for a request that has ended knows its connection no more.
    const { socket } = request;
    events.received();
    response.on('close', () => {
      clearTimeout(cutOff);
      const bytes = wireBytesSince(socket);
      if (response.writableFinished)
        return inSpanOf(response, () =>
          events.answered(request.method, response.statusCode, response.locals, bytes),
        );
      left.abort();
      inSpanOf(response, () => events.callerLeft(request.method, response.locals, bytes));
    });
    next();
  };
}
