import { findTextFont } from '@scriptorium/images/svg';
import { loadConfig } from '@scriptorium/shared/config';
import { startInternalServer } from '@scriptorium/shared/http/internal-server';
import { convertJob } from '@scriptorium/shared/jobs/convert';
import { convertRowsJob } from '@scriptorium/shared/jobs/rows';
import { closeOnSignal, start } from '@scriptorium/shared/lifecycle';
import { createLogger } from '@scriptorium/shared/logger';
import { watchDependencies } from '@scriptorium/shared/metrics/dependency-metrics';
import type { JobMetrics } from '@scriptorium/shared/metrics/job-metrics';
import { createMetrics, type Metrics } from '@scriptorium/shared/metrics/metrics';
import { packageVersion } from '@scriptorium/shared/package-version';
import { type JobWorker, startJobWorker } from '@scriptorium/shared/queue/worker';
import {
  openWorkerBackends,
  type WorkerBackends,
  type WorkerSettings,
  workerParts,
} from '@scriptorium/shared/queue/worker-backends';
import { type Unseal, unsealer } from '@scriptorium/shared/secrets/unsealer';
import { startTracing, traceFieldsFor } from '@scriptorium/shared/tracing/start';
import { traced } from '@scriptorium/shared/tracing/trace';
import type { Redis } from 'ioredis';
import { type ConverterConfig, converterSettings } from './config.ts';
import { convertWith } from './conversion/convert.ts';
import { systemFonts } from './conversion/fonts.ts';
import { convertHandler } from './conversion/handler.ts';
import {
  createEngines,
  isAnyReady,
  loaderOf,
  requireEngine,
  sandboxOf,
  testEngine,
} from './engines/engines.ts';
import { warmUpDocuments } from './engines/warm-up.ts';
import { defaultWorkRoot, requireRoom } from './engines/work-dir.ts';
import { converterEvents } from './events.ts';
import { type ConverterMetrics, converterMetrics, watchEngines, watchLane } from './metrics.ts';
import { convertRowsWith, type RowsParts } from './rows/rows.ts';
import { convertRowsHandler } from './rows/rows-handler.ts';
import { anotherWaits } from './shares/another-waits.ts';
import { type FairParts, fairly } from './shares/fair-convert.ts';
import { KnownCosts } from './shares/known-costs.ts';
import { SlowLane } from './shares/slow-lane.ts';
import { ComparisonThread } from './threads/comparison-threads.ts';
import { DrawingThread } from './threads/drawing-threads.ts';
import { FinishThread } from './threads/finish-threads.ts';
import { SanitizerThreads } from './threads/sanitizer-threads.ts';
import { Fitness } from './watching/fitness.ts';
import { tracedEngine } from './watching/traced-engine.ts';
import { watchedEngine } from './watching/wrap-engine.ts';

await start(async () => {
  const config = loadConfig(converterSettings);
  const logger = createLogger('converter', config.LOG_LEVEL, traceFieldsFor(config));
  const workRoot = await defaultWorkRoot();
  const version = await packageVersion(import.meta.url);
  const tracing = await startTracing(config, { service: 'converter', version }, logger);
  const metrics = createMetrics('converter', version);
  const { jobs, timedEngine, timedSanitizer, engineEvent, laneEvent } = converterMetrics(metrics);
  const events = converterEvents(logger, { engineEvent });
  const { ENGINES: slots, SANDBOX: sandbox, FONTS: fonts } = config;
  const sanitizer = await sanitizerThreads(config);
  const [engines] = await Promise.all([
    createEngines({ slots, sandbox, fonts, workRoot, onEvent: events.engine }),
    sanitizer.warmUp(warmUpDocuments()),
  ]);
  watchEngines(metrics, engines);
  const rare = rareThreads();
  const workers: JobWorker[] = [];
  const fitness = new Fitness({
    checkSpace: () => requireRoom(workRoot),
    test: () => testEngine(engines),
    onChange(isFit, reason) {
      events.fitness(isFit, reason);
      for (const worker of workers) worker.setTaking(isFit);
    },
  });
  const convertParts = {
    engines: engines
      .map(timedEngine)
      .map(tracedEngine)
      .map((engine) => watchedEngine(engine, fitness)),
    prepare: traced('gate', timedSanitizer(sanitizer.prepare)),
    fonts: systemFonts(),
    ...rare.work,
    events: events.rows,
  };
  const backends = openWorkerBackends(config, config.CONVERTER_JOB_SECRET);
  const needs = {
    ...backends.checks,
    engine: () => requireEngine(engines),
    fitness: () => fitness.require(),
  };
  watchDependencies(metrics, backends.checks);
  const internal = await startInternalServer(config, metrics, needs);
  const fair = shareEngines(config, metrics, { laneEvent, redis: backends.queue });
  const unseal = unsealer(config.CONVERTER_JOB_SECRET, 'CONVERTER_JOB_SECRET');
  const settings = {
    concurrency: config.ENGINES,
    capacity: () => (isAnyReady(engines) && fitness.isFit ? config.ENGINES : 0),
    engine: () => ({ sandbox: sandboxOf(engines), loader: loaderOf(engines) }),
    events: events.convert,
  };
  workers.push(...startWorkers(convertParts, fair, { backends, jobs, settings, unseal }));
  const parts = [
    internal.readiness,
    { close: async () => void (await Promise.all(workers.map((worker) => worker.close()))) },
    fitness,
    sanitizer,
    rare,
    { close: async () => void (await Promise.all(engines.map((engine) => engine.close()))) },
    backends,
    tracing,
    internal,
  ];
  closeOnSignal(logger, parts, convertJob.timeoutMs);
  events.ready(engines, internal.address);
});

async function sanitizerThreads(config: ConverterConfig): Promise<SanitizerThreads> {
  return new SanitizerThreads({
    threads: config.ENGINES,
    requestsMax: config.THREAD_DOCUMENTS_MAX,
    metafiles: config.METAFILES,
    longTableRows: config.LONG_TABLE_ROWS || undefined,
    font: await findTextFont(),
  });
}

/** The threads that few documents need. */
function rareThreads() {
  const [comparison, finishing, drawing] = [new ComparisonThread(), new FinishThread(), new DrawingThread()];
  return {
    work: { compare: comparison.compare, finish: finishing.finish, draw: drawing.draw },
    close: async () => void (await Promise.all([comparison, finishing, drawing].map((each) => each.close()))),
  };
}

function shareEngines(
  config: ConverterConfig,
  metrics: Metrics,
  { laneEvent, redis }: { laneEvent: ConverterMetrics['laneEvent']; redis: Redis },
): FairParts {
  const lane = new SlowLane({
    slots: config.ENGINES,
    afterMs: config.SLOW_AFTER_MS,
    documentsMax: config.SLOW_DOCUMENTS_MAX ?? config.ENGINES,
    onEvent: laneEvent,
  });
  watchLane(metrics, lane);
  const othersWait = (owner?: string) => anotherWaits(redis, convertJob.name, owner);
  return { lane, costs: new KnownCosts(), anotherWaits: othersWait };
}

interface WorkerTools {
  backends: WorkerBackends;
  jobs: JobMetrics;
  settings: WorkerSettings;
  unseal: Unseal;
}

function startWorkers(
  parts: RowsParts,
  fair: FairParts,
  { backends, jobs, settings, unseal }: WorkerTools,
): JobWorker[] {
  const partsOf = (queue: string) => workerParts(backends, jobs, queue, settings);
  const blobsOf = (queue: string) => jobs.weighed(queue, backends.blobs);
  return [
    startJobWorker(
      convertJob,
      convertHandler(fairly(convertWith(parts), fair), blobsOf(convertJob.name), unseal),
      partsOf(convertJob.name),
    ),
    startJobWorker(
      convertRowsJob,
      convertRowsHandler(convertRowsWith(parts), blobsOf(convertRowsJob.name)),
      partsOf(convertRowsJob.name),
    ),
  ];
}
