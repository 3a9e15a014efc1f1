import type { IncomingHttpHeaders } from 'node:http';
import type { TraceCallers } from '@scriptorium/shared/tracing/settings';
import { openSpan, type TraceContext } from '@scriptorium/shared/tracing/trace';
import type { Middleware, Reply } from '../http/context.ts';

/**
 * Opens the span of a request, which ends with its answer. The span names the route, not the requested path, which may
 * contain ids, codes and e-mail addresses: https://opentelemetry.io/docs/specs/semconv/http/http-spans/
 */
export function traceRequest(route: string, callers: TraceCallers): Middleware {
  return (request, response, next) => {
    const { requestId } = response.locals;
    const callerContext = contextIn(request.headers);
    const span = openSpan(`${request.method} ${route}`, {
      kind: 'server',
      attributes: {
        'http.request.method': request.method,
        'http.route': route,
        'url.scheme': request.secure ? 'https' : 'http',
        'network.protocol.version': request.httpVersion,
        'scriptorium.request_id': requestId,
      },
      parent: callers === 'continue' ? callerContext : {},
      ...(callers === 'link' && { link: callerContext }),
    });
    if (span === undefined) return next();
    response.locals.span = span;
    response.on('close', () => {
      if (response.headersSent) span.set({ 'http.response.status_code': response.statusCode });
      if (!response.writableFinished) span.fail('caller_left', false);
      span.end();
    });
    next();
  };
}

/** Runs `work` within the span of the request. Every step needs this, since body events run outside of the span. */
export function inSpanOf<T>(response: Reply, work: () => T): T {
  const { span } = response.locals;
  return span === undefined ? work() : span.within(work);
}

function contextIn({ traceparent, tracestate }: IncomingHttpHeaders): TraceContext {
  return typeof traceparent === 'string' ? { traceparent, tracestate: tracestate?.toString() } : {};
}
