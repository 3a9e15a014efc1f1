import { findTextFont } from '@scriptorium/images/svg';
import { loadConfig } from '@scriptorium/shared/config';
import { startInternalServer } from '@scriptorium/shared/http/internal-server';
import { annotateJob } from '@scriptorium/shared/jobs/annotate';
import { generateJob } from '@scriptorium/shared/jobs/generate';
import { inspectJob } from '@scriptorium/shared/jobs/inspect';
import { joinRowsJob } from '@scriptorium/shared/jobs/rows';
import { closeOnSignal, start } from '@scriptorium/shared/lifecycle';
import { createLogger } from '@scriptorium/shared/logger';
import { watchDependencies } from '@scriptorium/shared/metrics/dependency-metrics';
import { jobMetrics } from '@scriptorium/shared/metrics/job-metrics';
import { createMetrics } from '@scriptorium/shared/metrics/metrics';
import { packageVersion } from '@scriptorium/shared/package-version';
import type { JobEvents } from '@scriptorium/shared/queue/job-handler';
import { startJobWorker } from '@scriptorium/shared/queue/worker';
import { openWorkerBackends, workerParts } from '@scriptorium/shared/queue/worker-backends';
import { startTracing, traceFieldsFor } from '@scriptorium/shared/tracing/start';
import { traced } from '@scriptorium/shared/tracing/trace';
import { AnnotateThreads } from './annotate-threads.ts';
import { annotatorSettings } from './config.ts';
import { annotatorEvents } from './events.ts';
import { annotateHandler, generateHandler, inspectHandler } from './handler.ts';
import { joinRowsHandler } from './join-rows.ts';
import { warmUpData, warmUpFields } from './warm-up.ts';

/** Files of batches joined at a time: each may need some hundred megabytes. */
const JOINS = 1;

await start(async () => {
  const { ANNOTATORS: count, ...config } = loadConfig(annotatorSettings);
  const logger = createLogger('annotator', config.LOG_LEVEL, traceFieldsFor(config));
  const version = await packageVersion(import.meta.url);
  const tracing = await startTracing(config, { service: 'annotator', version }, logger);
  const events = annotatorEvents(logger);
  const metrics = createMetrics('annotator', version);
  const cache = { templateCacheBytesMax: config.TEMPLATE_CACHE_BYTES_MAX };
  const threads = new AnnotateThreads({ threads: count, font: await findTextFont(), ...cache });
  await threads.warmUp(warmUpFields(), warmUpData());
  const backends = openWorkerBackends(config);
  watchDependencies(metrics, backends.checks);
  const internal = await startInternalServer(config, metrics, backends.checks);
  const jobs = jobMetrics(metrics);
  const optionsOf = (queue: string, reporter: JobEvents) =>
    workerParts(backends, jobs, queue, { concurrency: count, events: reporter });
  const blobsOf = (queue: string) => jobs.weighed(queue, backends.blobs);
  const work = {
    fill: traced('fill', threads.fill.bind(threads)),
    generate: traced('fill', threads.generate.bind(threads)),
    inspect: traced('inspect', threads.inspect.bind(threads)),
  };
  const workers = [
    startJobWorker(
      annotateJob,
      annotateHandler(work, blobsOf(annotateJob.name)),
      optionsOf(annotateJob.name, events.annotate),
    ),
    startJobWorker(
      generateJob,
      generateHandler(work, blobsOf(generateJob.name)),
      optionsOf(generateJob.name, events.generate),
    ),
    startJobWorker(
      inspectJob,
      inspectHandler(work, blobsOf(inspectJob.name)),
      optionsOf(inspectJob.name, events.inspect),
    ),
    startJobWorker(
      joinRowsJob,
      joinRowsHandler(blobsOf(joinRowsJob.name)),
      workerParts(backends, jobs, joinRowsJob.name, { concurrency: JOINS, events: events.joinRows }),
    ),
  ];
  const parts = [
    internal.readiness,
    { close: async () => void (await Promise.all(workers.map((worker) => worker.close()))) },
    threads,
    backends,
    tracing,
    internal,
  ];
  closeOnSignal(logger, parts, annotateJob.timeoutMs);
  events.ready(count, internal.address);
});
