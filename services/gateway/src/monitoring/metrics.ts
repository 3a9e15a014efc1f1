import type { AppError } from '@scriptorium/contracts/errors';
import { type Metrics, startAtZero } from '@scriptorium/shared/metrics/metrics';
import type { RequestContext } from '../http/context.ts';
import type { WireBytes } from '../http/wire-bytes.ts';
import { type DeferredCounter, deferredCounter } from './deferred-metrics.ts';

/** For requests without a route: the path comes from the caller and must not become a label. */
const NO_ROUTE = 'none';

const CONNECTION_REFUSALS = ['network', 'total'] as const;
const MAIL_OUTCOMES = ['sent', 'retried', 'given_up', 'held_back', 'stopped'] as const;
const ROW_OUTCOMES = ['done', 'failed'] as const;
const KEY_EVENTS = ['trial', 'issued', 'revoked'] as const;

/** The metrics of a gateway. */
export interface GatewayMetrics extends DeferredCounter {
  received(): void;
  /** `status` is undefined if the caller disconnected before the end of the answer. */
  ended(method: string, status: number | undefined, context: RequestContext, bytes: WireBytes): void;
  refused(error: AppError, context: RequestContext): void;
  row(outcome: (typeof ROW_OUTCOMES)[number]): void;
  waysDiffer(): void;
  connectionRefused(reason: (typeof CONNECTION_REFUSALS)[number]): void;
  mail(outcome: (typeof MAIL_OUTCOMES)[number]): void;
  apiKey(event: (typeof KEY_EVENTS)[number]): void;
  usageLost(operations: number): void;
}

export function gatewayMetrics(metrics: Metrics): GatewayMetrics {
  const requests = metrics.counter('http_requests_total', 'Answered requests', ['route', 'method', 'status']);
  const durations = metrics.histogram(
    'http_request_duration_seconds',
    'Time from the headers of a request to the end of its answer, seconds',
    ['route', 'method'],
  );
  const errors = metrics.counter(
    'http_errors_total',
    'Requests that were rejected or failed, by error code',
    ['route', 'code'],
  );
  const inFlight = metrics.gauge('http_requests_in_flight', 'Requests in flight');
  const bytesIn = metrics.counter('http_request_bytes_total', 'Received bytes, with headers', ['route']);
  const bytesOut = metrics.counter('http_response_bytes_total', 'Sent bytes, with headers', ['route']);
  const left = metrics.counter(
    'http_callers_left_total',
    'Callers that disconnected before the end of their answer',
    ['route'],
  );
  const limited = metrics.counter(
    'rate_limited_total',
    'Requests over the rate limit of a key or an address',
    ['limit', 'route'],
  );
  const rows = metrics.counter('batch_rows_total', 'Rows of batches that were answered', ['outcome']);
  const differences = metrics.counter(
    'batch_ways_differ_total',
    'Batches in which the fast way made another document, so that they went on in the plain way',
  );
  const mails = metrics.counter('mails_total', 'Mails, by outcome', ['outcome']);
  const keys = metrics.counter('api_keys_total', 'API keys, by event', ['event']);
  const lost = metrics.counter('usage_operations_lost_total', 'API operations that were not counted');
  startAtZero(rows, 'outcome', ROW_OUTCOMES);
  startAtZero(mails, 'outcome', MAIL_OUTCOMES);
  startAtZero(keys, 'event', KEY_EVENTS);
  const routeOf = ({ route = NO_ROUTE }: RequestContext): string => route;
  return {
    received: () => inFlight.inc(),
    ended(method, status, context, { read, written }) {
      const route = routeOf(context);
      inFlight.dec();
      bytesIn.inc({ route }, read);
      bytesOut.inc({ route }, written);
      if (status === undefined) return left.inc({ route });
      requests.inc({ route, method, status });
      durations.observe({ route, method }, (Date.now() - context.receivedAt) / 1000);
    },
    refused(error, context) {
      const route = routeOf(context);
      errors.inc({ route, code: error.code });
      if (error.code === 'CONCURRENCY_LIMIT') limited.inc({ limit: 'key_concurrency', route });
      if (error.code === 'RATE_LIMIT_EXCEEDED')
        limited.inc({ limit: context.owner === undefined ? 'client_requests' : 'key_requests', route });
    },
    row: (outcome) => rows.inc({ outcome }),
    waysDiffer: () => differences.inc(),
    connectionRefused: refusedConnections(metrics),
    mail: (outcome) => mails.inc({ outcome }),
    apiKey: (event) => keys.inc({ event }),
    usageLost: (operations) => lost.inc(operations),
    ...deferredCounter(metrics),
  };
}

function refusedConnections(metrics: Metrics): GatewayMetrics['connectionRefused'] {
  const refused = metrics.counter(
    'connections_refused_total',
    'Connections that were closed at once, by the limit that they exceeded',
    ['limit'],
  );
  startAtZero(refused, 'limit', CONNECTION_REFUSALS);
  return (limit) => refused.inc({ limit });
}

/** Reports how much of the byte budget for requests is in use. */
export function watchHeldBytes(metrics: Metrics, bytesMax: number, held: () => number): void {
  const bytes = metrics.gauge('held_bytes', 'Bytes of requests in the memory of this gateway');
  metrics
    .gauge('held_bytes_max', 'Limit of the bytes of requests in the memory of this gateway')
    .set(bytesMax);
  metrics.beforePage(() => bytes.set(held()));
}
