import { lines, number, type Row } from './panels.ts';
import { of, perSecond, quantile } from './queries.ts';

/** What no caller asked for. */
const NO_PROBES = 'route!~"/livez|/readyz|/v1/health"';
const FAILED = `status=~"5..",${NO_PROBES}`;

/** Whether all is well, in six numbers. */
export const glance: Row = {
  title: 'At a glance',
  panels: [
    number({
      title: 'Requests',
      description: 'Answers of all gateways a second, without probes.',
      unit: 'reqps',
      queries: { '': `sum(rate(${of('http_requests_total', NO_PROBES)}[$__rate_interval]))` },
    }),
    number({
      title: 'Answered 5xx',
      description: 'Share of the answers. Where it is not 0, see which codes under “Errors by code”.',
      unit: 'percentunit',
      queries: {
        '': `sum(rate(${of('http_requests_total', FAILED)}[$__rate_interval])) / sum(rate(${of('http_requests_total', NO_PROBES)}[$__rate_interval])) or vector(0)`,
      },
      limits: [0.01, 0.05],
    }),
    number({
      title: 'Answer time, p95',
      description:
        'Over all routes. Where it grows, see whether jobs wait (add workers) or run longer (other documents).',
      unit: 's',
      queries: {
        '': `histogram_quantile(0.95, sum by (le) (rate(${of('http_request_duration_seconds_bucket', NO_PROBES)}[$__rate_interval])))`,
      },
      limits: [5, 10],
    }),
    number({
      title: 'Oldest waiting job',
      description:
        'Of any queue. From QUEUE_WAIT_MS_MAX on (30 s by default) callers get 503: add workers of that queue.',
      unit: 's',
      queries: { '': 'max(scriptorium_queue_oldest_seconds{namespace=~"$namespace"})' },
      limits: [5, 10],
    }),
    number({
      title: 'Servers away',
      description:
        'Redis roles and databases that a process cannot use. Above 0: see “Servers behind the services”.',
      unit: 'none',
      queries: { '': `count(${of('dependency_up')} == 0) or vector(0)` },
      limits: [1, 2],
    }),
    number({
      title: 'Processes',
      description:
        'Processes that tell of themselves, by service and version; two versions while a new one is rolled out.',
      unit: 'none',
      queries: { '{{service}} {{version}}': `count by (service, version) (${of('build_info')})` },
    }),
  ],
};

/** What callers send and get. */
export const traffic: Row = {
  title: 'Traffic',
  panels: [
    lines({
      title: 'Requests by route',
      description: 'Where one route falls to 0 and others do not, its workers or its callers are gone.',
      unit: 'reqps',
      queries: { '{{route}}': perSecond('http_requests_total', 'route') },
    }),
    lines({
      title: 'Answers by status',
      description: '4xx are mistakes of callers, 429 their limits; 5xx are ours: see “Errors by code”.',
      unit: 'reqps',
      queries: { '{{status}}': perSecond('http_requests_total', 'status') },
    }),
    lines({
      title: 'Errors by code',
      description:
        'docs/reference/errors.md says what each means. OVERLOADED: more workers. UNAVAILABLE: a server or all engines are away. INTERNAL_ERROR: the log has the cause under the request’s id.',
      unit: 'reqps',
      queries: { '{{code}}': perSecond('http_errors_total', 'code') },
    }),
    ...[0.5, 0.95, 0.99].map((share) =>
      lines({
        title: `Answer time by route, p${share * 100}`,
        description:
          'From the headers of a request to the end of its answer. Where it grows, compare “Wait for a worker” with “Run”: waits are mended by workers, runs by looking at the documents, and neither means slow callers or a slow gateway.',
        unit: 's',
        queries: { '{{route}}': quantile(share, 'http_request_duration_seconds', 'route') },
      }),
    ),
    lines({
      title: 'Requests in flight',
      description:
        'By gateway. Where one stands far above the others, the balancer does not spread; where all grow, see the queues.',
      unit: 'none',
      queries: { '{{instance}}': `sum by (instance) (${of('http_requests_in_flight')})` },
    }),
    lines({
      title: 'Held bytes',
      description:
        'Bodies and fetched documents in a gateway’s memory. At the bound callers get 503: add gateways, or raise BYTES_IN_FLIGHT_MAX and the memory.',
      unit: 'bytes',
      queries: {
        '{{instance}}': of('held_bytes'),
        'bound of {{instance}}': of('held_bytes_max'),
      },
    }),
    lines({
      title: 'Bytes on the wire',
      description:
        'Of requests and answers, all gateways. Flat at the top: look for a network’s or balancer’s limit.',
      unit: 'Bps',
      queries: {
        requests: `sum(rate(${of('http_request_bytes_total')}[$__rate_interval]))`,
        answers: `sum(rate(${of('http_response_bytes_total')}[$__rate_interval]))`,
      },
    }),
    lines({
      title: 'Callers who left',
      description:
        'Before their answer. Many: their time limits are shorter than the answers take, or a balancer cuts them off.',
      unit: 'reqps',
      queries: { '{{route}}': perSecond('http_callers_left_total', 'route') },
    }),
    lines({
      title: 'Rate limited',
      description:
        'Requests over a limit of a key or a client address. Steady: talk with that caller (the log has key ids), or raise KEY_CONCURRENCY_MAX or KEY_REQUESTS_PER_MINUTE_MAX.',
      unit: 'reqps',
      queries: { '{{limit}} {{route}}': perSecond('rate_limited_total', 'limit, route') },
    }),
    lines({
      title: 'Fetched URLs by outcome',
      description:
        'Many refused: callers name addresses that FETCH_ALLOW does not open, or somebody probes your network. Slow: the way out of the cluster.',
      unit: 'reqps',
      queries: { '{{outcome}}': perSecond('fetches_total', 'outcome') },
    }),
  ],
};
