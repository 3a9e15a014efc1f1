import { type JobMetrics, jobMetrics } from '@scriptorium/shared/metrics/job-metrics';
import { type Metrics, startAtZero } from '@scriptorium/shared/metrics/metrics';
import type { SlowLane, SlowLaneSettings } from '@scriptorium/shares/lane';
import type { RemovalKind } from './conversion/vet-result.ts';
import { type Engine, EngineError, type EngineEvent, type EngineResult } from './engines/engine.ts';
import { sandboxOf } from './engines.ts';
import type { Prepare } from './threads/threads.ts';
import { engineMemory } from './watching/engine-memory.ts';
import { wrapEngine } from './watching/wrap-engine.ts';

/** The engine ends and failures that only an operator can fix start at zero; others appear once they occur. */
const ENDS = ['killed', 'exited', 'given_up', 'not_started'];
const FAILURES = ['crashed', 'exhausted', 'timeout', 'unavailable'];
const REMOVALS: readonly RemovalKind[] = ['link', 'path', 'action'];
const LANE_EVENTS = ['slow', 'put_back', 'evicted'];

/** What a converter counts. */
export interface ConverterMetrics {
  jobs: JobMetrics;
  /** Counts an event of an engine itself. */
  engineEvent(event: EngineEvent): void;
  /** Wraps an engine to count and time its conversions. */
  timedEngine(engine: Engine): Engine;
  timedSanitizer(prepare: Prepare): Prepare;
  /** Counts what was removed from a result. */
  resultRemoval(what: RemovalKind): void;
  /** Counts what the slow lane does. */
  laneEvent: NonNullable<SlowLaneSettings['onEvent']>;
}

export function converterMetrics(metrics: Metrics): ConverterMetrics {
  const starts = metrics.counter('engine_starts_total', 'Starts of engine processes', ['engine']);
  const restarts = metrics.counter(
    'engine_restarts_total',
    'Unexpected ends of engine processes, each followed by a start',
    ['engine', 'reason'],
  );
  const failures = metrics.counter('engine_failures_total', 'Documents that an engine failed to convert', [
    'engine',
    'kind',
  ]);
  const stages = metrics.histogram('conversion_stage_seconds', 'Time of one stage of a conversion', [
    'stage',
  ]);
  const pages = metrics.counter('pages_total', 'Pages of converted documents', ['from', 'to']);
  const memory = metrics.gauge(
    'engine_memory_bytes',
    'Memory of all engine processes; shared memory counts once',
  );
  metrics.beforePage(async () => memory.set(await engineMemory()));
  const countResult = ({ timings, documentPages }: EngineResult, from: string, to: string): void => {
    pages.inc({ from, to }, documentPages);
    stages.observe({ stage: 'wait' }, timings.waitMs / 1000);
    for (const stage of ['load', 'update', 'export'] as const) {
      const ms = timings[`${stage}Ms`];
      if (ms !== undefined) stages.observe({ stage }, ms / 1000);
    }
  };
  return {
    jobs: jobMetrics(metrics),
    resultRemoval: countedRemovals(metrics),
    laneEvent: countedLane(metrics),
    engineEvent(event) {
      if (event.type === 'engine-started') starts.inc({ engine: event.engine });
      if (event.type === 'engine-unavailable') restarts.inc({ engine: event.engine, reason: 'not_started' });
      if (event.type === 'engine-ended')
        restarts.inc({ engine: event.engine, reason: event.how.replaceAll('-', '_') });
    },
    timedEngine(engine) {
      startAtZero(restarts, 'reason', ENDS, { engine: engine.name });
      startAtZero(failures, 'kind', FAILURES, { engine: engine.name });
      return wrapEngine(engine, async (name, request, work) => {
        try {
          const result = await work();
          countResult(result, request.from, request.to);
          return result;
        } catch (error) {
          const kind = error instanceof EngineError ? error.kind : 'unknown';
          failures.inc({ engine: name, kind: kind.replaceAll('-', '_') });
          throw error;
        }
      });
    },
    timedSanitizer: (prepare) => async (request, signal) => {
      const startedAt = performance.now();
      const prepared = await prepare(request, signal);
      stages.observe({ stage: 'sanitize' }, (performance.now() - startedAt) / 1000);
      return prepared;
    },
  };
}

function countedLane(metrics: Metrics): ConverterMetrics['laneEvent'] {
  const help = 'Documents that became slow, that were put back for others, or that were evicted with 429';
  const lane = metrics.counter('slow_lane_total', help, ['event']);
  startAtZero(lane, 'event', LANE_EVENTS, {});
  return (event) => lane.inc({ event: event.replaceAll('-', '_') });
}

function countedRemovals(metrics: Metrics): ConverterMetrics['resultRemoval'] {
  const help =
    'Links, paths and active content that were removed from results, although the sanitizer had seen the document';
  const removals = metrics.counter('result_removals_total', help, ['what']);
  startAtZero(removals, 'what', REMOVALS, {});
  return (what) => removals.inc({ what });
}

/** Reports how many documents the engines process, how many they could, and whether their sandbox has all its walls. */
export function watchEngines(metrics: Metrics, engines: readonly Engine[]): void {
  const slots = metrics.gauge('engine_slots', 'Documents that an engine can process concurrently', [
    'engine',
  ]);
  const running = metrics.gauge('engine_running', 'Documents that an engine is processing', ['engine']);
  const sandbox = metrics.gauge('sandbox_enforced', '1 if every engine has all walls of its sandbox, else 0');
  metrics.beforePage(() => {
    sandbox.set(sandboxOf(engines) === 'enforced' ? 1 : 0);
    for (const engine of engines) {
      const health = engine.health();
      slots.set({ engine: engine.name }, health.slots);
      running.set({ engine: engine.name }, health.running);
    }
  });
}

/** Reports how many slow documents run. */
export function watchLane(metrics: Metrics, lane: Pick<SlowLane, 'slowCount'>): void {
  const slow = metrics.gauge('slow_documents', 'Slow documents that run beside the slots of the engines');
  metrics.beforePage(() => slow.set(lane.slowCount));
}
