import { AppError } from '../errors.ts';

/** Low-cardinality facts and ids. Never keys, addresses, names or content of documents, or texts of errors. */
export type Attributes = Record<string, string | number | boolean>;

/** Where a trace stands, in the form of W3C Trace Context (https://www.w3.org/TR/trace-context/#trace-context-http-headers-format). */
export interface TraceContext {
  traceparent?: string | undefined;
  tracestate?: string | undefined;
}

export interface SpanStart {
  /** Its part in OpenTelemetry's terms; by default `internal`. */
  kind?: 'internal' | 'server' | 'client' | 'producer' | 'consumer';
  attributes?: Attributes;
  /** What it continues; where this names no trace, it begins one. By default the span that it is opened in. */
  parent?: TraceContext;
  /** A trace of others that it belongs to without being part of it. */
  link?: TraceContext;
  /** What `error.type` says of a failure; by default the code or the class of the error. */
  errorType?(error: unknown): string;
}

export interface OpenSpan {
  readonly traceId: string;
  set(attributes: Attributes): void;
  /** Sets `error.type`. Only a fault of the service's makes a span an error: a refusal is an answer. */
  fail(errorType: string, isFault: boolean): void;
  /** Runs `work` so that spans which are opened in it become children of this one. */
  within<T>(work: () => T): T;
  /** A child that has been measured elsewhere. Epoch milliseconds. */
  addStage(name: string, startMs: number, endMs: number): void;
  end(): void;
}

/** What makes spans. Owned here, so that nothing else is loaded where no trace is made. */
export interface Tracer {
  open(name: string, start: SpanStart): OpenSpan;
  current(): OpenSpan | undefined;
  /** The place of the current span; empty outside of one. */
  context(): TraceContext;
}

/** One a process, as its standard output is: undefined while no traces are made. */
let tracer: Tracer | undefined;

/** For `startTracing`, before anything is wired. */
export function useTracer(started: Tracer | undefined): void {
  tracer = started;
}

/** Undefined where no traces are made. Who opens a span ends it. */
export function openSpan(name: string, start: SpanStart = {}): OpenSpan | undefined {
  return tracer?.open(name, start);
}

/** Undefined outside of a span, and where no traces are made. */
export function currentSpan(): OpenSpan | undefined {
  return tracer?.current();
}

/** For whoever does the next part of the current trace; empty where there is none. */
export function traceContext(): TraceContext {
  return tracer?.context() ?? {};
}

/** Runs `work` in a span of its own. */
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

/** The same function, each call of it in a span; for where parts are wired, so that they need not know of traces. */
export function traced<Args extends unknown[], T>(
  name: string,
  work: (...args: Args) => Promise<T>,
  start: SpanStart = {},
): (...args: Args) => Promise<T> {
  return tracer === undefined ? work : (...args) => inSpan(name, start, () => work(...args));
}

/** Says on the current span how it failed; the error's text stays in the log. */
export function failCurrentSpan(error: unknown): void {
  tracer?.current()?.fail(errorTypeOf(error), isFault(error));
}

/** What log lines of traced work carry. */
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
