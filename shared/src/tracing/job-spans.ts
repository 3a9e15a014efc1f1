import type { JobEnvelope } from '../queue/define-job.ts';
import type { JobEvents } from '../queue/job-handler.ts';
import {
  type Attributes,
  currentSpan,
  failCurrentSpan,
  inSpan,
  type TraceContext,
  traceContext,
} from './trace.ts';

/** OpenTelemetry's names: https://opentelemetry.io/docs/specs/semconv/messaging/messaging-spans/ */
function messaging(operation: 'send' | 'process', queue: string, requestId: string): Attributes {
  return {
    'messaging.system': 'bullmq',
    'messaging.operation.type': operation,
    'messaging.operation.name': operation,
    'messaging.destination.name': queue,
    'messaging.message.id': requestId,
  };
}

/** Adds a job in a span of its own, and tells `add` what the envelope carries for the worker to go on from. */
export function sendInSpan<T>(
  queue: string,
  requestId: string,
  add: (carried: TraceContext) => Promise<T>,
): Promise<T> {
  const attributes = messaging('send', queue, requestId);
  return inSpan(`send ${queue}`, { kind: 'producer', attributes }, () => add(traceContext()));
}

/** Does a job in a span that continues the trace of whoever sent it. */
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

/** Reports on the span of a job how it failed or why it was dropped, and passes it on. */
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
