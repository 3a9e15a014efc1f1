import { lines, number, type Row } from './panels.ts';
import { of, perSecond, quantile } from './queries.ts';

/** Excludes probes. */
const NO_PROBES = 'route!~"/livez|/readyz|/v1/health"';
const FAILED = `status=~"5..",${NO_PROBES}`;

/** The overall state in six numbers. */
export const glance: Row = {
  title: 'At a glance',
  panels: [
    number({
      title: 'Requests',
      description: 'Responses of all gateways per second, without probes.',
      unit: 'reqps',
      queries: { '': `sum(rate(${of('http_requests_total', NO_PROBES)}[$__rate_interval]))` },
    }),
    number({
      title: '5xx responses',
      description: 'Share of all responses. If it is not 0, check the codes in “Errors by code”.',
      unit: 'percentunit',
      queries: {
        '': `sum(rate(${of('http_requests_total', FAILED)}[$__rate_interval])) / sum(rate(${of('http_requests_total', NO_PROBES)}[$__rate_interval])) or vector(0)`,
      },
      limits: [0.01, 0.05],
    }),
    number({
      title: 'Response time, p95',
      description:
        'All routes. If it grows, check whether jobs wait (add workers) or run longer (larger documents).',
      unit: 's',
      queries: {
        '': `histogram_quantile(0.95, sum by (le) (rate(${of('http_request_duration_seconds_bucket', NO_PROBES)}[$__rate_interval])))`,
      },
      limits: [5, 10],
    }),
    number({
      title: 'Oldest waiting job',
      description:
        'In any queue. Above QUEUE_WAIT_MS_MAX (30 s by default) callers get 503: add workers for that queue.',
      unit: 's',
      queries: { '': 'max(scriptorium_queue_oldest_seconds{namespace=~"$namespace"})' },
      limits: [5, 10],
    }),
    number({
      title: 'Unavailable servers',
      description:
        'Redis roles and databases that a process cannot use. If above 0, see “Servers behind the services”.',
      unit: 'none',
      queries: { '': `count(${of('dependency_up')} == 0) or vector(0)` },
      limits: [1, 2],
    }),
    number({
      title: 'Processes',
      description:
        'Processes that report metrics, by service and version. Two versions appear during a roll-out.',
      unit: 'none',
      queries: { '{{service}} {{version}}': `count by (service, version) (${of('build_info')})` },
    }),
  ],
};

/** Requests and responses. */
export const traffic: Row = {
  title: 'Traffic',
  panels: [
    lines({
      title: 'Requests by route',
      description: 'If only one route falls to 0, its workers or its callers have disappeared.',
      unit: 'reqps',
      queries: { '{{route}}': perSecond('http_requests_total', 'route') },
    }),
    lines({
      title: 'Responses by status',
      description: '4xx are caller errors, 429 rate limits, 5xx service errors: see “Errors by code”.',
      unit: 'reqps',
      queries: { '{{status}}': perSecond('http_requests_total', 'status') },
    }),
    lines({
      title: 'Errors by code',
      description:
        'docs/reference/errors.md explains each code. OVERLOADED: add workers. UNAVAILABLE: a server or all engines are unavailable. INTERNAL_ERROR: the log has the cause under the request id.',
      unit: 'reqps',
      queries: { '{{code}}': perSecond('http_errors_total', 'code') },
    }),
    ...[0.5, 0.95, 0.99].map((share) =>
      lines({
        title: `Response time by route, p${share * 100}`,
        description:
          'From the request headers to the end of the response. If it grows, compare “Wait for a worker” with “Run”. Long waits need more workers; long runs come from the documents. If neither grows, callers or the gateway are slow.',
        unit: 's',
        queries: { '{{route}}': quantile(share, 'http_request_duration_seconds', 'route') },
      }),
    ),
    lines({
      title: 'Requests in flight',
      description:
        'By gateway. If one is far above the others, the balancer does not distribute evenly. If all grow, check the queues.',
      unit: 'none',
      queries: { '{{instance}}': `sum by (instance) (${of('http_requests_in_flight')})` },
    }),
    lines({
      title: 'Held bytes',
      description:
        'Request bodies and fetched documents in a gateway’s memory. At the limit callers get 503: add gateways, or raise BYTES_IN_FLIGHT_MAX and the memory.',
      unit: 'bytes',
      queries: {
        '{{instance}}': of('held_bytes'),
        'limit of {{instance}}': of('held_bytes_max'),
      },
    }),
    lines({
      title: 'Bytes on the wire',
      description:
        'Requests and responses of all gateways. If flat at the top, check for a network or balancer limit.',
      unit: 'Bps',
      queries: {
        requests: `sum(rate(${of('http_request_bytes_total')}[$__rate_interval]))`,
        responses: `sum(rate(${of('http_response_bytes_total')}[$__rate_interval]))`,
      },
    }),
    lines({
      title: 'Disconnected callers',
      description:
        'Callers that disconnected before their response. If many, their timeouts are too short, or a balancer closes connections.',
      unit: 'reqps',
      queries: { '{{route}}': perSecond('http_callers_left_total', 'route') },
    }),
    lines({
      title: 'Rate limited',
      description:
        'Requests above a limit of a key or a client address. If constant, contact that caller (the log has key ids), or raise KEY_CONCURRENCY_MAX or KEY_REQUESTS_PER_MINUTE_MAX.',
      unit: 'reqps',
      queries: { '{{limit}} {{route}}': perSecond('rate_limited_total', 'limit, route') },
    }),
    lines({
      title: 'Requests for later',
      description:
        'By state. If queued ones grow, raise JOBS_AT_A_TIME, or add gateways. If delivering ones grow, the addresses of callers are slow or away.',
      unit: 'none',
      queries: { '{{state}}': `max by (state) (${of('deferred_jobs')})` },
    }),
    lines({
      title: 'Deliveries and notifications',
      description:
        'Attempts by outcome. An owner sees each in the job. If all are given up, check DELIVER, DELIVER_ALLOW and the network out of the cluster.',
      unit: 'reqps',
      queries: { '{{what}} {{outcome}}': perSecond('deferred_sends_total', 'what, outcome') },
    }),
    lines({
      title: 'Fetched URLs by outcome',
      description:
        'If many are refused, callers name addresses outside FETCH_ALLOW, or probe your network. If slow, check the network out of the cluster.',
      unit: 'reqps',
      queries: { '{{outcome}}': perSecond('fetches_total', 'outcome') },
    }),
  ],
};
