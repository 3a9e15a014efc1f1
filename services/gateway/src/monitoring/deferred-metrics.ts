import { type Metrics, startAtZero } from '@scriptorium/shared/metrics/metrics';
import { hasEnded, type State } from '../deferred/job.ts';
import type { StepKind } from '../deferred/job-table.ts';
import type { Course, Happening } from '../deferred/next.ts';

const ENDS = ['succeeded', 'failed'] as const;
const OUTCOMES = ['delivered', 'retried', 'given_up'] as const;
const OPEN: readonly State[] = ['queued', 'running', 'delivering'];

/** The requests for later that have not ended. */
export interface Standing {
  /** By state. A state without one may be missing. */
  counts: Readonly<Record<string, number>>;
  /** How long the oldest one waits for a runner, by what is next for it. */
  oldestSeconds: Record<StepKind, number>;
}

/** Reports the requests for later. The metrics are omitted while PostgreSQL is down. */
export function watchDeferred(metrics: Metrics, standing: () => Promise<Standing>): void {
  const jobs = metrics.gauge(
    'deferred_jobs',
    'Requests for later that have not ended, by state; the same on every gateway',
    ['state'],
  );
  const oldest = metrics.gauge(
    'deferred_oldest_seconds',
    'Wait of the oldest request for later whose turn it is, by what is next for it, seconds',
    ['step'],
  );
  metrics.beforePage(async () => {
    for (const gauge of [jobs, oldest]) gauge.reset();
    const { counts, oldestSeconds } = await standing();
    for (const state of OPEN) jobs.set({ state }, counts[state] ?? 0);
    for (const [step, seconds] of Object.entries(oldestSeconds)) oldest.set({ step }, seconds);
  });
}

export type SendOutcome = (typeof OUTCOMES)[number];

/** Counts what became of requests for later. */
export interface DeferredCounter {
  deferredStep(before: Course, happening: Happening, after: Course): void;
  /** An attempt to deliver the document of a row, or a part of an answer. */
  rowSent(outcome: SendOutcome): void;
}

export function deferredCounter(metrics: Metrics): DeferredCounter {
  const ended = metrics.counter('deferred_ended_total', 'Requests for later that were run to their end', [
    'state',
  ]);
  const sent = metrics.counter(
    'deferred_sends_total',
    'Attempts to deliver results, rows or parts of batches, and notifications of requests for later, by outcome',
    ['what', 'outcome'],
  );
  startAtZero(ended, 'state', ENDS);
  for (const what of ['result', 'row', 'notification'])
    for (const outcome of OUTCOMES) sent.inc({ what, outcome }, 0);
  return {
    rowSent: (outcome) => sent.inc({ what: 'row', outcome }),
    deferredStep(before, { kind }, after) {
      if (hasEnded(after.state) && !hasEnded(before.state)) ended.inc({ state: after.state });
      if (kind === 'sent' || kind === 'not sent')
        sent.inc({ what: 'result', outcome: deliveryOf(after.state) });
      if (kind !== 'notified' || after.notification === null) return;
      sent.inc({ what: 'notification', outcome: NOTIFIED[after.notification.outcome] });
    },
  };
}

function deliveryOf(state: State): SendOutcome {
  if (state === 'succeeded') return 'delivered';
  return state === 'failed' ? 'given_up' : 'retried';
}

const NOTIFIED = { pending: 'retried', delivered: 'delivered', 'given up': 'given_up' } as const;
