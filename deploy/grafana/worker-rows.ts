import { ACCESS } from '@scriptorium/contracts/access';
import { ROLES, type Role } from '@scriptorium/contracts/services';
import { lines, type Panel, type Row } from './panels.ts';
import { inFiveMinutes, of, ofQueues, perSecond, quantile } from './queries.ts';

/** The jobs that wait for workers. */
export const queues: Row = {
  title: 'Queues',
  panels: [
    lines({
      title: 'Jobs by state',
      description:
        'prioritized and wait have not started. If they grow for minutes, add workers for that queue. If jobs stay active, check whether the workers are alive.',
      unit: 'none',
      queries: { '{{queue}} {{state}}': ofQueues('queue_jobs', 'namespace, queue, state') },
    }),
    lines({
      title: 'Oldest waiting job',
      description:
        'Above QUEUE_WAIT_MS_MAX callers get 503. If it grows despite workers, they are too few or blocked.',
      unit: 's',
      queries: { '{{queue}}': ofQueues('queue_oldest_seconds', 'namespace, queue') },
    }),
    lines({
      title: 'Workers',
      description:
        'Workers that have announced themselves. 0: jobs of that queue fail; start workers, and read why the others ended.',
      unit: 'none',
      queries: { '{{queue}}': ofQueues('queue_workers', 'namespace, queue') },
    }),
    lines({
      title: 'Capacity and jobs in work',
      description:
        'If running jobs stay near the capacity, the queue will grow. If the capacity is below the workers, engines are unavailable.',
      unit: 'none',
      queries: {
        '{{queue}} capacity': ofQueues('queue_capacity', 'namespace, queue'),
        '{{queue}} running': `sum by (namespace, queue) (${of('jobs_running')})`,
      },
    }),
    lines({
      title: 'Wait for a worker, p95',
      description: 'From enqueue to start. It grows with the queue: add workers.',
      unit: 's',
      queries: { '{{queue}}': quantile(0.95, 'job_wait_seconds', 'queue') },
    }),
    lines({
      title: 'Run, p95',
      description: 'From start to result. It grows with larger documents, or if workers get less CPU.',
      unit: 's',
      queries: { '{{queue}}': quantile(0.95, 'job_run_seconds', 'queue') },
    }),
    lines({
      title: 'Servers behind the services',
      description:
        '1 if Redis (queue, store) or PostgreSQL (database) responds and is usable. 0: check that server; the gateway’s log describes wrong server settings.',
      unit: 'none',
      queries: { '{{dependency}} {{instance}}': of('dependency_up') },
      max: 1,
    }),
  ],
};

/** The panels of queues: a matcher of their label. */
const jobPanels = (queues: string): Panel[] => [
  lines({
    title: 'Jobs by outcome',
    description:
      'refused: 4xx, caller errors. failed: 5xx, service errors: see “Errors of jobs”. deadline and cancelled: callers stopped waiting. gateway_gone: a gateway was killed.',
    unit: 'ops',
    queries: { '{{queue}} {{outcome}}': perSecond('jobs_total', 'queue, outcome', queues) },
  }),
  lines({
    title: 'Errors of jobs',
    description:
      'By error code; docs/reference/errors.md explains each. For 5xx codes, the worker’s log has the cause under the request id.',
    unit: 'ops',
    queries: { '{{queue}} {{code}}': perSecond('job_errors_total', 'queue, code', queues) },
  }),
  lines({
    title: 'Bytes of documents',
    description:
      'Read from and written to Redis. If flat at the top, check whether the network to Redis is saturated.',
    unit: 'Bps',
    queries: { '{{queue}} {{direction}}': perSecond('document_bytes_total', 'queue, direction', queues) },
  }),
];

/** What only one kind of workers has. */
const OWN_PANELS: Partial<Record<Role, Panel[]>> = {
  converter: [
    lines({
      title: 'Stages of a conversion, p95',
      description:
        'wait: for a free engine; it grows if ENGINES exceeds the cores. sanitize: the sanitizer. load and export: LibreOffice.',
      unit: 's',
      queries: { '{{stage}}': quantile(0.95, 'conversion_stage_seconds', 'stage') },
    }),
    lines({
      title: 'Memory of the engines',
      description:
        'All engine processes of a converter; shared memory counts once. Near its container’s limit, raise the limit or lower ENGINES.',
      unit: 'bytes',
      queries: { '{{instance}}': of('engine_memory_bytes') },
    }),
    lines({
      title: 'Running engines',
      description: 'Documents in progress and their limit. If always at the limit, add converters.',
      unit: 'none',
      queries: {
        '{{engine}} running': `sum by (engine) (${of('engine_running')})`,
        '{{engine}} limit': `sum by (engine) (${of('engine_slots')})`,
      },
    }),
    lines({
      title: 'Ends of engines by reason, in 5 minutes',
      description:
        'killed: by a signal, often for lack of memory. exited: it crashed. not_started: see the log. A start follows each end, and no job is lost.',
      unit: 'none',
      queries: { '{{engine}} {{reason}}': inFiveMinutes('engine_restarts_total', 'engine, reason') },
    }),
    lines({
      title: 'Failures of engines by kind, in 5 minutes',
      description:
        'unreadable and no_such_page: document errors. crashed: LibreOffice died on it; twice gives CONVERSION_FAILED. exhausted, timeout: limits exceeded.',
      unit: 'none',
      queries: { '{{engine}} {{kind}}': inFiveMinutes('engine_failures_total', 'engine, kind') },
    }),
    lines({
      title: 'Starts of engines, in 5 minutes',
      description:
        'Formats other than DOCX have their own engines, which start with the first document and end after five idle minutes.',
      unit: 'none',
      queries: { '{{engine}}': inFiveMinutes('engine_starts_total', 'engine') },
    }),
    lines({
      title: 'Pages',
      description:
        'Pages of converted documents per second. Shows load from longer documents at the same request rate.',
      unit: 'ops',
      queries: { '{{from}} to {{to}}': perSecond('pages_total', 'from, to') },
    }),
    lines({
      title: 'Sandbox',
      description:
        '1 if all engines of a converter have all sandbox walls. 0: its kernel lacks some, and SANDBOX=degraded lets it run; do not convert untrusted documents there.',
      unit: 'none',
      queries: { '{{instance}}': of('sandbox_enforced') },
      max: 1,
    }),
    lines({
      title: 'Removed from results, in 5 minutes',
      description:
        'Links and actions that PDFs had although the sanitizer had seen their documents. Each is a hole of the sanitizer.',
      unit: 'none',
      queries: { '{{what}}': inFiveMinutes('result_removals_total', 'what') },
    }),
  ],
  signer: [
    lines({
      title: 'Certificate conflicts, in 5 minutes',
      description:
        'How often a signer found another certificate in place of its own. A few are normal while a new key is rolled out. If it continues, signers have different keys, or another process writes there.',
      unit: 'none',
      queries: { '{{instance}}': inFiveMinutes('service_certificate_disputes_total', 'instance') },
    }),
  ],
  verifier: [
    lines({
      title: 'Service certificate',
      description:
        '1 if a verifier knows it. 0: no signature is recognized as the service’s own, and requests with the trust profile service get 503. Check that signers run.',
      unit: 'none',
      queries: { '{{instance}}': of('service_certificate_known') },
      max: 1,
    }),
  ],
};

/** The queues of a kind of workers, without those of batches. */
function queuesOf(role: Role): string {
  const names = ACCESS.jobs
    .filter((job) => job.role === role && !job.name.endsWith('-rows'))
    .map(({ name }) => name);
  return names.length === 1 ? `queue="${names[0]}"` : `queue=~"${names.join('|')}"`;
}

/** A row for each kind of workers. */
export const workers: Row[] = ROLES.map((role) => ({
  title: role.charAt(0).toUpperCase() + role.slice(1),
  panels: [...jobPanels(queuesOf(role)), ...(OWN_PANELS[role] ?? [])],
}));
