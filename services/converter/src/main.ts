import { findTextFont } from '@scriptorium/images/svg';
import { loadConfig } from '@scriptorium/shared/config';
import { startInternalServer } from '@scriptorium/shared/http/internal-server';
import { convertJob } from '@scriptorium/shared/jobs/convert';
import { convertRowsJob } from '@scriptorium/shared/jobs/rows';
import { closeOnSignal, start } from '@scriptorium/shared/lifecycle';
import { createLogger } from '@scriptorium/shared/logger';
import { watchDependencies } from '@scriptorium/shared/metrics/dependency-metrics';
import { createMetrics } from '@scriptorium/shared/metrics/metrics';
import { packageVersion } from '@scriptorium/shared/package-version';
import { startJobWorker } from '@scriptorium/shared/queue/worker';
import { openWorkerBackends, workerParts } from '@scriptorium/shared/queue/worker-backends';
import { startTracing, traceFieldsFor } from '@scriptorium/shared/tracing/start';
import { traced } from '@scriptorium/shared/tracing/trace';
import { ComparisonThread } from './comparison-threads.ts';
import { converterSettings } from './config.ts';
import { convertWith } from './convert.ts';
import { warmUpDocuments } from './engines/warm-up.ts';
import { createEngines, isAnyReady, loaderOf, requireEngine, sandboxOf } from './engines.ts';
import { converterEvents } from './events.ts';
import { systemFonts } from './fonts.ts';
import { convertHandler } from './handler.ts';
import { converterMetrics, watchEngines } from './metrics.ts';
import { convertRowsWith } from './rows.ts';
import { convertRowsHandler } from './rows-handler.ts';
import { SanitizerThreads } from './sanitizer-threads.ts';
import { tracedEngine } from './traced-engine.ts';

await start(async () => {
  const config = loadConfig(converterSettings);
  const logger = createLogger('converter', config.LOG_LEVEL, traceFieldsFor(config));
  const version = await packageVersion(import.meta.url);
  const tracing = await startTracing(config, { service: 'converter', version }, logger);
  const metrics = createMetrics('converter', version);
  const { jobs, timedEngine, timedSanitizer, engineEvent } = converterMetrics(metrics);
  const events = converterEvents(logger, { engineEvent });
  const sanitizer = new SanitizerThreads({ threads: config.ENGINES, font: await findTextFont() });
  const [engines] = await Promise.all([
    createEngines({ slots: config.ENGINES, sandbox: config.SANDBOX, onEvent: events.engine }),
    sanitizer.warmUp(warmUpDocuments()),
  ]);
  watchEngines(metrics, engines);
  const comparison = new ComparisonThread();
  const convertParts = {
    engines: engines.map(timedEngine).map(tracedEngine),
    prepare: traced('gate', timedSanitizer(sanitizer.prepare)),
    fonts: systemFonts(),
    compare: comparison.compare,
    events: events.rows,
  };
  const backends = openWorkerBackends(config);
  const needs = { ...backends.checks, engine: () => requireEngine(engines) };
  watchDependencies(metrics, backends.checks);
  const internal = await startInternalServer(config, metrics, needs);
  const settings = {
    concurrency: config.ENGINES,
    capacity: () => (isAnyReady(engines) ? config.ENGINES : 0),
    engine: () => ({ sandbox: sandboxOf(engines), loader: loaderOf(engines) }),
    events: events.convert,
  };
  const partsOf = (queue: string) => workerParts(backends, jobs, queue, settings);
  const blobsOf = (queue: string) => jobs.weighed(queue, backends.blobs);
  const workers = [
    startJobWorker(
      convertJob,
      convertHandler(convertWith(convertParts), blobsOf(convertJob.name)),
      partsOf(convertJob.name),
    ),
    startJobWorker(
      convertRowsJob,
      convertRowsHandler(convertRowsWith(convertParts), blobsOf(convertRowsJob.name)),
      partsOf(convertRowsJob.name),
    ),
  ];
  const parts = [
    internal.readiness,
    { close: async () => void (await Promise.all(workers.map((worker) => worker.close()))) },
    sanitizer,
    comparison,
    { close: async () => void (await Promise.all(engines.map((engine) => engine.close()))) },
    backends,
    tracing,
    internal,
  ];
  closeOnSignal(logger, parts, convertJob.timeoutMs);
  events.ready(engines, internal.address);
});
