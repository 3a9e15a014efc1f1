import type { IncomingHttpHeaders } from 'node:http';
import type { TraceCallers } from '@scriptorium/shared/tracing/settings';
import { openSpan, type TraceContext } from '@scriptorium/shared/tracing/trace';
import type { Middleware, Reply } from '../context.ts';

/**
 * Opens the span of a request, which ends with its answer. It tells the route, not the address that was asked for, which may
 * hold ids, codes and e-mail addresses: https://opentelemetry.io/docs/specs/semconv/http/http-spans/
 */
export function traceRequest(route: string, callers: TraceCallers): Middleware {
  return (request, response, next) => {
    const { requestId } = response.locals;
    const theirs = contextIn(request.headers);
    const span = openSpan(`${request.method} ${route}`, {
      kind: 'server',
      attributes: {
        'http.request.method': request.method,
        'http.route': route,
        // What a proxy says is the caller's where that proxy lets it through.
        'url.scheme': request.secure ? 'https' : 'http',
        'network.protocol.version': request.httpVersion,
        'scriptorium.request_id': requestId,
      },
      parent: callers === 'continue' ? theirs : {},
      ...(callers === 'link' && { link: theirs }),
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

/** Runs `work` within the span of the request. Each step needs that anew: a body's end calls the next one from outside of it. */
export function inSpanOf<T>(response: Reply, work: () => T): T {
  const { span } = response.locals;
  return span === undefined ? work() : span.within(work);
}

function contextIn({ traceparent, tracestate }: IncomingHttpHeaders): TraceContext {
  return typeof traceparent === 'string' ? { traceparent, tracestate: tracestate?.toString() } : {};
}
