import { AppError } from '@scriptorium/contracts/errors';

/** Low-cardinality values and ids. They must not contain keys, addresses, document content or error texts. */
export type Attributes = Record<string, string | number | boolean>;

/** A trace context in the W3C format (https://www.w3.org/TR/trace-context/#trace-context-http-headers-format). */
export interface TraceContext {
  traceparent?: string | undefined;
  tracestate?: string | undefined;
}

export interface SpanStart {
  /** The span kind of OpenTelemetry. By default `internal`. */
  kind?: 'internal' | 'server' | 'client' | 'producer' | 'consumer';
  attributes?: Attributes;
  /** The parent context; an empty one starts a new trace. By default the current span. */
  parent?: TraceContext;
  /** The context of a related trace. */
  link?: TraceContext;
  /** Returns the `error.type` of a failure. By default the code or the class of the error. */
  errorType?(error: unknown): string;
}

export interface OpenSpan {
  readonly traceId: string;
  set(attributes: Attributes): void;
  /** Sets `error.type`. Only a fault of the service sets the span status to error, not a rejected request. */
  fail(errorType: string, isFault: boolean): void;
  /** Runs `work` with this span as the parent of new spans. */
  within<T>(work: () => T): T;
  /** Adds a child span that was measured elsewhere. Times are in epoch milliseconds. */
  addStage(name: string, startMs: number, endMs: number): void;
  end(): void;
}

/** Makes spans. Defined here, so that the SDK is loaded only with tracing. */
export interface Tracer {
  open(name: string, start: SpanStart): OpenSpan;
  current(): OpenSpan | undefined;
  /** Returns the context of the current span, or an empty one outside of a span. */
  context(): TraceContext;
}

/** The tracer of the process. Undefined without tracing. */
let tracer: Tracer | undefined;

/** For `startTracing`, before the parts of the service are created. */
export function useTracer(started: Tracer | undefined): void {
  tracer = started;
}

/** Opens a span, which the caller must end. Returns undefined without tracing. */
export function openSpan(name: string, start: SpanStart = {}): OpenSpan | undefined {
  return tracer?.open(name, start);
}

/** Returns undefined outside of a span and without tracing. */
export function currentSpan(): OpenSpan | undefined {
  return tracer?.current();
}

/** Returns the current trace context, to continue the trace in another process. It is empty without a trace. */
export function traceContext(): TraceContext {
  return tracer?.context() ?? {};
}

/** Runs `work` in a new span. */
export async function inSpan<T>(
  name: string,
  start: SpanStart,
  work: (span: OpenSpan | undefined) => Promise<T>,
): Promise<T> {
  const span = tracer?.open(name, start);
  if (span === undefined) return work(undefined);
  try {
    return await span.within(() => work(span));
  } catch (error) {
    const { errorType = errorTypeOf } = start;
    span.fail(errorType(error), isFault(error));
    throw error;
  } finally {
    span.end();
  }
}

/** Wraps a function so that each call runs in a span. The wrapped parts do not depend on tracing. */
export function traced<Args extends unknown[], T>(
  name: string,
  work: (...args: Args) => Promise<T>,
  start: SpanStart = {},
): (...args: Args) => Promise<T> {
  return tracer === undefined ? work : (...args) => inSpan(name, start, () => work(...args));
}

/** Records a failure on the current span. The error text goes to the log only. */
export function failCurrentSpan(error: unknown): void {
  tracer?.current()?.fail(errorTypeOf(error), isFault(error));
}

/** Returns the fields of log lines within a trace. */
export function traceFields(): { traceId?: string } {
  const traceId = tracer?.current()?.traceId;
  return traceId === undefined ? {} : { traceId };
}

function errorTypeOf(error: unknown): string {
  if (!(error instanceof Error)) return 'unknown';
  const { code } = error as { code?: unknown };
  return typeof code === 'string' ? code : error.name;
}

const isFault = (error: unknown): boolean => !(error instanceof AppError) || error.status >= 500;
