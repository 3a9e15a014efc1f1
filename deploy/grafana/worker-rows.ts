import { lines, type Panel, type Row } from './panels.ts';
import { inFiveMinutes, of, ofQueues, perSecond, quantile } from './queries.ts';

/** What waits for workers. */
export const queues: Row = {
  title: 'Queues',
  panels: [
    lines({
      title: 'Jobs by state',
      description:
        'prioritized and wait are not begun yet. Growing for minutes: add workers of that queue. Active without end: see whether the workers live.',
      unit: 'none',
      queries: { '{{queue}} {{state}}': ofQueues('queue_jobs', 'namespace, queue, state') },
    }),
    lines({
      title: 'Oldest waiting job',
      description:
        'From QUEUE_WAIT_MS_MAX on callers get 503. Growing while workers are there: they are too few, or stand still.',
      unit: 's',
      queries: { '{{queue}}': ofQueues('queue_oldest_seconds', 'namespace, queue') },
    }),
    lines({
      title: 'Workers',
      description:
        'That have announced themselves. 0: nothing of that queue is answered; start some, and read why the others ended.',
      unit: 'none',
      queries: { '{{queue}}': ofQueues('queue_workers', 'namespace, queue') },
    }),
    lines({
      title: 'Capacity and jobs in work',
      description:
        'Jobs in work near the capacity for long: the queue will grow. Capacity below workers: engines are away.',
      unit: 'none',
      queries: {
        '{{queue}} capacity': ofQueues('queue_capacity', 'namespace, queue'),
        '{{queue}} in work': `sum by (namespace, queue) (${of('jobs_running')})`,
      },
    }),
    lines({
      title: 'Wait for a worker, p95',
      description: 'From being queued to being begun. Grows with the queue: add workers.',
      unit: 's',
      queries: { '{{queue}}': quantile(0.95, 'job_wait_seconds', 'queue') },
    }),
    lines({
      title: 'Run, p95',
      description:
        'From being begun to the answer. Grows with larger documents, or where workers get less CPU than they had.',
      unit: 's',
      queries: { '{{queue}}': quantile(0.95, 'job_run_seconds', 'queue') },
    }),
    lines({
      title: 'Servers behind the services',
      description:
        '1 where Redis (queue, store) or PostgreSQL (database) answers and is fit for use. 0: look at that server; the gateway’s log says what is wrong with its settings.',
      unit: 'none',
      queries: { '{{dependency}} {{instance}}': of('dependency_up') },
      max: 1,
    }),
  ],
};

/** What a worker tells of its queues. */
const jobPanels = (queues: string): Panel[] => [
  lines({
    title: 'Jobs by outcome',
    description:
      'refused is 4xx, the caller’s; failed is 5xx, ours: see “Errors of jobs”. deadline and cancelled: callers got tired of waiting. gateway_gone: a gateway was killed.',
    unit: 'ops',
    queries: { '{{queue}} {{outcome}}': perSecond('jobs_total', 'queue, outcome', queues) },
  }),
  lines({
    title: 'Errors of jobs',
    description:
      'By error code; docs/reference/errors.md says what each means. Codes of 5xx: the worker’s log has the cause under the request’s id.',
    unit: 'ops',
    queries: { '{{queue}} {{code}}': perSecond('job_errors_total', 'queue, code', queues) },
  }),
  lines({
    title: 'Bytes of documents',
    description:
      'Read from and left in Redis. Where it is flat at the top, see whether the network to Redis is.',
    unit: 'Bps',
    queries: { '{{queue}} {{direction}}': perSecond('document_bytes_total', 'queue, direction', queues) },
  }),
];

/** What converters and their engines do. */
export const converter: Row = {
  title: 'Converter',
  panels: [
    ...jobPanels('queue="convert"'),
    lines({
      title: 'Stages of a conversion, p95',
      description:
        'wait: for a free engine, grows where ENGINES is more than the cores; gate: reading the document; load and export: LibreOffice.',
      unit: 's',
      queries: { '{{stage}}': quantile(0.95, 'conversion_stage_seconds', 'stage') },
    }),
    lines({
      title: 'Memory of the engines',
      description:
        'Of all engine processes of a converter, what they share counted once. Near the limit of its container: raise it, or lower ENGINES.',
      unit: 'bytes',
      queries: { '{{instance}}': of('engine_memory_bytes') },
    }),
    lines({
      title: 'Engines in work',
      description: 'Documents in work, and how many there can be. At the bound all the time: add converters.',
      unit: 'none',
      queries: {
        '{{engine}} in work': `sum by (engine) (${of('engine_running')})`,
        '{{engine}} bound': `sum by (engine) (${of('engine_slots')})`,
      },
    }),
    lines({
      title: 'Ends of engines by reason, in 5 minutes',
      description:
        'killed: by a signal, often for lack of memory; exited: it crashed; not_started: see the log. Each is followed by a start, and no job is lost by one.',
      unit: 'none',
      queries: { '{{engine}} {{reason}}': inFiveMinutes('engine_restarts_total', 'engine, reason') },
    }),
    lines({
      title: 'Failures of engines by kind, in 5 minutes',
      description:
        'unreadable and no_such_page are the document’s. crashed: LibreOffice died on it, twice makes CONVERSION_FAILED. exhausted, timeout: over the bounds.',
      unit: 'none',
      queries: { '{{engine}} {{kind}}': inFiveMinutes('engine_failures_total', 'engine, kind') },
    }),
    lines({
      title: 'Starts of engines, in 5 minutes',
      description:
        'Formats other than DOCX have engines of their own, started by their first document and ended after five idle minutes.',
      unit: 'none',
      queries: { '{{engine}}': inFiveMinutes('engine_starts_total', 'engine') },
    }),
    lines({
      title: 'Pages',
      description:
        'Of converted documents, a second. The load that documents are by their length, where requests are not more.',
      unit: 'ops',
      queries: { '{{from}} to {{to}}': perSecond('pages_total', 'from, to') },
    }),
    lines({
      title: 'Sandbox',
      description:
        '1 where all engines of a converter have all their walls. 0: its kernel lacks some, and SANDBOX=degraded lets it run; convert no documents of strangers there.',
      unit: 'none',
      queries: { '{{instance}}': of('sandbox_enforced') },
      max: 1,
    }),
  ],
};

export const annotator: Row = { title: 'Annotator', panels: jobPanels('queue=~"annotate|inspect"') };

export const signer: Row = {
  title: 'Signer',
  panels: [
    ...jobPanels('queue=~"sign|signing-key"'),
    lines({
      title: 'Disputes about the certificate, in 5 minutes',
      description:
        'Times that a signer found another certificate where it publishes its own. A few while a new key is rolled out. Going on: signers have different keys, or another process writes there.',
      unit: 'none',
      queries: { '{{instance}}': inFiveMinutes('service_certificate_disputes_total', 'instance') },
    }),
  ],
};

export const verifier: Row = {
  title: 'Verifier',
  panels: [
    ...jobPanels('queue="verify"'),
    lines({
      title: 'Certificate of the service',
      description:
        '1 where a verifier knows it. 0: no signature is the service’s own, and the trust profile service is answered 503. See whether signers run.',
      unit: 'none',
      queries: { '{{instance}}': of('service_certificate_known') },
      max: 1,
    }),
  ],
};
