import { type Closeable, waitAtMost } from '../lifecycle.ts';
import type { Logger } from '../logger.ts';
import type { TracedService } from './open-tracer.ts';
import { isTracingOn, type TracingConfig } from './settings.ts';
import { traceFields, useTracer } from './trace.ts';

/** For the last spans of a process: a collector that is away must not hold up its end. */
const FLUSH_MS_MAX = 3_000;
const TROUBLE_LOG_INTERVAL_MS = 60_000;

/**
 * Makes traces from here on, where the settings say so; loads nothing where they do not. To be closed last. Throws
 * ConfigError.
 */
export async function startTracing(
  config: TracingConfig,
  service: TracedService,
  logger: Logger,
): Promise<Closeable> {
  if (!isTracingOn(config)) return { close: async () => undefined };
  const { openTracer } = await import('./open-tracer.ts');
  const onLost = troubleLog(logger);
  const { tracer, shutdown } = openTracer(config, service, onLost);
  useTracer(tracer);
  return {
    async close() {
      await waitAtMost(FLUSH_MS_MAX, shutdown().catch(onLost));
    },
  };
}

/** What log lines are asked for besides, where traces are made: lines without it cost what they cost. */
export function traceFieldsFor(config: TracingConfig): (() => object) | undefined {
  return isTracingOn(config) ? traceFields : undefined;
}

/** A line a minute: where a collector is away, every batch fails. */
function troubleLog(logger: Logger): (error: unknown) => void {
  let loggedAt = Number.NEGATIVE_INFINITY;
  return (error) => {
    if (performance.now() - loggedAt < TROUBLE_LOG_INTERVAL_MS) return;
    loggedAt = performance.now();
    logger.warn({ err: error }, 'spans did not reach the collector');
  };
}
