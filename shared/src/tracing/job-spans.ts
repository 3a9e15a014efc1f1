import type { JobEnvelope } from '../queue/envelope.ts';
import type { JobEvents } from '../queue/job-handler.ts';
import {
  type Attributes,
  currentSpan,
  failCurrentSpan,
  inSpan,
  type TraceContext,
  traceContext,
} from './trace.ts';

/** Attribute names of OpenTelemetry: https://opentelemetry.io/docs/specs/semconv/messaging/messaging-spans/ */
function messaging(operation: 'send' | 'process', queue: string, requestId: string): Attributes {
  return {
    'messaging.system': 'bullmq',
    'messaging.operation.type': operation,
    'messaging.operation.name': operation,
    'messaging.destination.name': queue,
    'messaging.message.id': requestId,
  };
}

/** Adds a job in a new span. `add` gets the trace context for the envelope, from which the worker continues. */
export function sendInSpan<T>(
  queue: string,
  requestId: string,
  add: (carried: TraceContext) => Promise<T>,
): Promise<T> {
  const attributes = messaging('send', queue, requestId);
  return inSpan(`send ${queue}`, { kind: 'producer', attributes }, () => add(traceContext()));
}

/** Processes a job in a span that continues the trace of its sender. */
export function processInSpan(
  queue: string,
  { requestId, traceparent, tracestate }: JobEnvelope,
  work: () => Promise<void>,
): Promise<void> {
  const attributes = messaging('process', queue, requestId);
  return inSpan(
    `process ${queue}`,
    { kind: 'consumer', attributes, parent: { traceparent, tracestate } },
    work,
  );
}

/** Records failures and dropped jobs on the span of the job, and forwards the events. */
export function reportOnSpan(events: JobEvents): JobEvents {
  return {
    ...events,
    failed(requestId, error) {
      failCurrentSpan(error);
      events.failed(requestId, error);
    },
    dropped(requestId, reason) {
      currentSpan()?.set({ 'scriptorium.dropped': reason });
      events.dropped(requestId, reason);
    },
  };
}
