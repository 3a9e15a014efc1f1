import { convertJob } from '@scriptorium/contracts/jobs/convert';
import { convertRowsJob } from '@scriptorium/contracts/jobs/rows';
import { findTextFont } from '@scriptorium/images/svg';
import { startInternalServer } from '@scriptorium/shared/http/internal-server';
import type { Closeable } from '@scriptorium/shared/lifecycle';
import { watchDependencies } from '@scriptorium/shared/metrics/dependency-metrics';
import type { JobMetrics } from '@scriptorium/shared/metrics/job-metrics';
import type { Metrics } from '@scriptorium/shared/metrics/metrics';
import { type JobWorker, startJobWorker } from '@scriptorium/shared/queue/worker';
import {
  openWorkerBackends,
  type WorkerBackends,
  type WorkerSettings,
  workerParts,
} from '@scriptorium/shared/queue/worker-backends';
import { type Unseal, unsealer } from '@scriptorium/shared/secrets/unsealer';
import { warmUpBy } from '@scriptorium/shared/threads/settings';
import { traced } from '@scriptorium/shared/tracing/trace';
import { SlowLane } from '@scriptorium/shares/lane';
import type { ConverterConfig } from './config.ts';
import { convertWith } from './conversion/convert.ts';
import { systemFonts } from './conversion/fonts.ts';
import type { Engine } from './engines/engine.ts';
import { defaultWorkRoot, requireRoom } from './engines/work-dir.ts';
import { createEngines, isAnyReady, loaderOf, requireEngine, sandboxOf, testEngine } from './engines.ts';
import type { ConverterEvents } from './events.ts';
import { convertHandler } from './handler.ts';
import { type ConverterMetrics, watchEngines, watchLane } from './metrics.ts';
import { convertRowsWith, type RowsParts } from './rows/convert-rows.ts';
import { convertRowsHandler } from './rows/rows-handler.ts';
import { fairly } from './shares/fair-convert.ts';
import { KnownCosts } from './shares/known-costs.ts';
import { comparisonThread, drawingThread, finishThread, sanitizerThreads } from './threads/threads.ts';
import { Fitness } from './watching/fitness.ts';
import { tracedEngine } from './watching/traced-engine.ts';
import { watchedEngine } from './watching/wrap-engine.ts';

export interface Converter {
  engines: readonly Engine[];
  internalAddress: string;
  /** What must be closed, in this order. */
  parts: Closeable[];
}

/** Starts a converter. Resolves when its engine accepts documents, without waiting for Redis. Until then, it is not ready. */
export async function startConverter(
  config: ConverterConfig,
  metrics: Metrics,
  counted: ConverterMetrics,
  events: ConverterEvents,
): Promise<Converter> {
  const workRoot = await defaultWorkRoot();
  const { METAFILES: metafiles, LONG_TABLE_ROWS: longTableRows } = config;
  const sanitizer = sanitizerThreads({
    threads: config.ENGINES,
    requestsMax: config.THREAD_DOCUMENTS_MAX,
    data: { metafiles, longTableRows: longTableRows || undefined, font: await findTextFont() },
  });
  const engines: Engine[] = [];
  const one = { threads: 1 };
  const [comparing, drawing, finishing] = [comparisonThread(one), drawingThread(one), finishThread(one)];
  const workers: JobWorker[] = [];
  const fitness = new Fitness({
    checkSpace: () => requireRoom(workRoot),
    test: () => testEngine(engines),
    onChange(isFit, reason) {
      events.fitness(isFit, reason);
      setTaking();
    },
  });
  const setTaking = (): void => {
    for (const worker of workers) worker.setTaking(engines.length > 0 && fitness.isFit);
  };
  const backends = openWorkerBackends(config, config.CONVERTER_JOB_SECRET);
  watchDependencies(metrics, backends.checks);
  watchEngines(metrics, engines);
  const internal = await startInternalServer(config, metrics, {
    ...backends.checks,
    engine: () => requireEngine(engines),
    fitness: () => fitness.require(),
  });
  const watched: Engine[] = [];
  const convertParts = {
    engines: watched,
    prepare: traced('sanitize', counted.timedSanitizer(sanitizer.prepare)),
    fonts: systemFonts(),
    compare: comparing.compare,
    draw: drawing.draw,
    finish: finishing.finish,
    onRemoved: events.removed,
    events: events.rows,
  };
  const lane = laneOf(config, metrics, counted.laneEvent);
  const settings = {
    concurrency: config.ENGINES,
    capacity: () => (isAnyReady(engines) && fitness.isFit ? config.ENGINES : 0),
    // While its engine does not start, it says so: gateways need not wait for it.
    isTaking: false,
    engine: () => ({ sandbox: sandboxOf(engines), loader: loaderOf(engines) }),
    events: events.convert,
  };
  const unseal = unsealer(config.CONVERTER_JOB_SECRET, 'CONVERTER_JOB_SECRET');
  workers.push(...startWorkers(convertParts, lane, { backends, jobs: counted.jobs, settings, unseal }));
  const starting = createEngines({ ...engineSettings(config), workRoot, onEvent: events.engine });
  const [started] = await Promise.all([starting, warmUpBy(config, sanitizer.ready)]);
  watched.push(...started.map((engine) => observed(engine, counted, fitness)));
  engines.push(...started);
  setTaking();
  const parts = [
    internal.readiness,
    { close: () => closeAll(workers) },
    fitness,
    { close: () => closeAll([sanitizer, comparing, drawing, finishing]) },
    { close: () => closeAll(engines) },
    backends,
    internal,
  ];
  return { engines, internalAddress: internal.address, parts };
}

/** An engine whose work is counted, traced, and judged for the fitness of this converter. */
const observed = (engine: Engine, counted: ConverterMetrics, fitness: Fitness): Engine =>
  watchedEngine(tracedEngine(counted.timedEngine(engine)), fitness);

const closeAll = async (parts: readonly Closeable[]): Promise<void> =>
  void (await Promise.all(parts.map((part) => part.close())));

function engineSettings({ ENGINES: slots, SANDBOX: sandbox, FONTS: fonts, WARM_UP }: ConverterConfig) {
  return { slots, sandbox, fonts, startsWithOne: WARM_UP === 'later' };
}

function laneOf(
  config: ConverterConfig,
  metrics: Metrics,
  laneEvent: ConverterMetrics['laneEvent'],
): SlowLane {
  const lane = new SlowLane({
    slots: config.ENGINES,
    afterMs: config.SLOW_AFTER_MS,
    documentsMax: config.SLOW_DOCUMENTS_MAX ?? config.ENGINES,
    onEvent: laneEvent,
  });
  watchLane(metrics, lane);
  return lane;
}

interface WorkerTools {
  backends: WorkerBackends;
  jobs: JobMetrics;
  settings: WorkerSettings;
  unseal: Unseal;
}

function startWorkers(
  parts: RowsParts,
  lane: SlowLane,
  { backends, jobs, settings, unseal }: WorkerTools,
): JobWorker[] {
  const partsOf = (queue: string) => workerParts(backends, jobs, queue, settings);
  const blobsOf = (queue: string) => jobs.weighed(queue, backends.blobs);
  return [
    startJobWorker(
      convertJob,
      convertHandler(fairly(convertWith(parts), new KnownCosts()), blobsOf(convertJob.name), unseal),
      { ...partsOf(convertJob.name), lane },
    ),
    startJobWorker(
      convertRowsJob,
      convertRowsHandler(convertRowsWith(parts), blobsOf(convertRowsJob.name)),
      partsOf(convertRowsJob.name),
    ),
  ];
}
