import { inSpan, type OpenSpan } from '@scriptorium/shared/tracing/trace';
import { type Engine, EngineError, type EngineTimings } from '../engines/engine.ts';
import { wrapEngine } from './wrap-engine.ts';

/** Adds spans to an engine's conversions, with the stages whose times it reports. */
export function tracedEngine(engine: Engine): Engine {
  return wrapEngine(engine, (name, request, work) =>
    inSpan(
      'engine',
      {
        attributes: {
          'scriptorium.engine': name,
          'scriptorium.from': request.from,
          'scriptorium.to': request.to,
        },
        errorType: (error) => (error instanceof EngineError ? error.kind : 'unknown'),
      },
      async (span) => {
        const startMs = Date.now();
        const calledAt = performance.now();
        const result = await work();
        const endMs = startMs + performance.now() - calledAt;
        span?.set({ 'scriptorium.pages': result.documentPages });
        if (span !== undefined) addStages(span, result.timings, startMs, endMs);
        return result;
      },
    ),
  );
}

/** The run ends with the call, and its stages follow each other from the run's start. */
function addStages(span: OpenSpan, timings: EngineTimings, startMs: number, endMs: number): void {
  const runStartMs = Math.max(startMs, endMs - timings.runMs);
  span.addStage('wait', startMs, runStartMs);
  let atMs = runStartMs;
  for (const [name, ms] of [
    ['load', timings.loadMs],
    ['update', timings.updateMs],
    ['export', timings.exportMs],
  ] as const) {
    if (ms === undefined) continue;
    span.addStage(name, atMs, Math.min(endMs, atMs + ms));
    atMs += ms;
  }
}
