import { type Closeable, waitAtMost } from '../lifecycle.ts';
import type { Logger } from '../logger.ts';
import type { TracedService } from './open-tracer.ts';
import { isTracingOn, type TracingConfig } from './settings.ts';
import { traceFields, useTracer } from './trace.ts';

/** Time to send the last spans. An unavailable collector must not delay the exit of the process. */
const FLUSH_MS_MAX = 3_000;
const LOG_INTERVAL_MS = 60_000;

/**
 * Starts tracing if the settings enable it, and otherwise does not load the SDK. Close it last. Throws ConfigError.
 */
export async function startTracing(
  config: TracingConfig,
  service: TracedService,
  logger: Logger,
): Promise<Closeable> {
  if (!isTracingOn(config)) return { close: async () => undefined };
  const { openTracer } = await import('./open-tracer.ts');
  const onLost = exportErrorLog(logger);
  const { tracer, shutdown } = openTracer(config, service, onLost);
  useTracer(tracer);
  return {
    async close() {
      await waitAtMost(FLUSH_MS_MAX, shutdown().catch(onLost));
    },
  };
}

/** Returns the trace fields of log lines, or undefined without tracing, so that log lines do not cost more. */
export function traceFieldsFor(config: TracingConfig): (() => object) | undefined {
  return isTracingOn(config) ? traceFields : undefined;
}

/** Logs at most one line per minute, since every batch fails while the collector is down. */
function exportErrorLog(logger: Logger): (error: unknown) => void {
  let loggedAt = Number.NEGATIVE_INFINITY;
  return (error) => {
    if (performance.now() - loggedAt < LOG_INTERVAL_MS) return;
    loggedAt = performance.now();
    logger.warn({ err: error }, 'spans did not reach the collector');
  };
}
