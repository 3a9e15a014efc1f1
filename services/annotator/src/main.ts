import { annotateJob } from '@scriptorium/contracts/jobs/annotate';
import { findTextFont } from '@scriptorium/images/svg';
import { loadConfig } from '@scriptorium/shared/config';
import { startInternalServer } from '@scriptorium/shared/http/internal-server';
import { closeOnSignal, start } from '@scriptorium/shared/lifecycle';
import { createLogger } from '@scriptorium/shared/logger';
import { watchDependencies } from '@scriptorium/shared/metrics/dependency-metrics';
import { jobMetrics } from '@scriptorium/shared/metrics/job-metrics';
import { createMetrics } from '@scriptorium/shared/metrics/metrics';
import { packageVersion } from '@scriptorium/shared/package-version';
import { openWorkerBackends } from '@scriptorium/shared/queue/worker-backends';
import { unsealer } from '@scriptorium/shared/secrets/unsealer';
import { warmUpBy } from '@scriptorium/shared/threads/settings';
import { startTracing, traceFieldsFor } from '@scriptorium/shared/tracing/start';
import { annotatorSettings } from './config.ts';
import { annotatorEvents } from './events.ts';
import { Joiner } from './joiner.ts';
import { startWorkers } from './start-workers.ts';
import { annotateThreads, mergeThreads } from './threads.ts';

/** Merges at a time, as a share of `ANNOTATORS`: each may need some hundred megabytes. */
const MERGES_SHARE = 1 / 4;

await start('annotator', async () => {
  const { ANNOTATORS: count, ...config } = loadConfig(annotatorSettings);
  const logger = createLogger('annotator', config.LOG_LEVEL, traceFieldsFor(config));
  const version = await packageVersion(import.meta.url);
  const tracing = await startTracing(config, { service: 'annotator', version }, logger);
  const events = annotatorEvents(logger);
  const metrics = createMetrics('annotator', version);
  const templateIdleMsMax = config.TEMPLATE_CACHE_SECONDS * 1000;
  const cache = { templateCacheBytesMax: config.TEMPLATE_CACHE_BYTES_MAX, templateIdleMsMax };
  const threads = annotateThreads({
    threads: count,
    requestsMax: config.THREAD_DOCUMENTS_MAX,
    data: { font: await findTextFont(), ...cache },
  });
  const merges = Math.ceil(count * MERGES_SHARE);
  const merging = mergeThreads({ threads: merges });
  const joiner = new Joiner({ filesMax: config.THREAD_DOCUMENTS_MAX });
  await warmUpBy(config, async () => {
    await threads.ready();
    await merging.ready();
    await joiner.ready();
  });
  const backends = openWorkerBackends(config, config.ANNOTATOR_JOB_SECRET);
  watchDependencies(metrics, backends.checks);
  const internal = await startInternalServer(config, metrics, backends.checks);
  const workers = startWorkers({
    backends,
    count,
    threads,
    merges,
    mergeThreads: merging,
    joiner,
    templateBytesMax: config.TEMPLATE_CACHE_BYTES_MAX,
    templateIdleMsMax,
    events,
    metrics: jobMetrics(metrics),
    unseal: unsealer(config.ANNOTATOR_JOB_SECRET, 'ANNOTATOR_JOB_SECRET'),
  });
  const parts = [internal.readiness, workers, threads, merging, joiner, backends, tracing, internal];
  closeOnSignal(logger, parts, annotateJob.timeoutMs);
  events.ready(count, internal.address);
});
