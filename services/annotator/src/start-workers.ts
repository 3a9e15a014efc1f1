import { annotateJob } from '@scriptorium/contracts/jobs/annotate';
import { generateJob } from '@scriptorium/contracts/jobs/generate';
import { inspectJob } from '@scriptorium/contracts/jobs/inspect';
import { joinJob, mergeJob } from '@scriptorium/contracts/jobs/merge';
import { fillRowsJob, joinRowsJob } from '@scriptorium/contracts/jobs/rows';
import type { Closeable } from '@scriptorium/shared/lifecycle';
import type { JobMetrics } from '@scriptorium/shared/metrics/job-metrics';
import type { JobEvents } from '@scriptorium/shared/queue/job-handler';
import { startJobWorker } from '@scriptorium/shared/queue/worker';
import { type WorkerBackends, workerParts } from '@scriptorium/shared/queue/worker-backends';
import type { Unseal } from '@scriptorium/shared/secrets/unsealer';
import { traced } from '@scriptorium/shared/tracing/trace';
import { laneOfThreads } from '@scriptorium/shares/lane';
import type { annotatorEvents } from './events.ts';
import { fillRowsHandler } from './fill-rows.ts';
import { annotateHandler, generateHandler, inspectHandler } from './handler.ts';
import { joinHandler, joinRowsHandler } from './join-pdfs.ts';
import type { Joiner } from './joiner.ts';
import { mergeHandler } from './merge-documents.ts';
import { TemplateBytes } from './template-bytes.ts';
import type { AnnotateThreads, MergeThreads } from './threads.ts';

/** Files of batches, and files of merges, joined at a time: each may need some hundred megabytes. */
const JOINS = 1;

export interface WorkerParts {
  backends: WorkerBackends;
  /** Jobs of each kind at a time. */
  count: number;
  threads: AnnotateThreads;
  /** Documents merged at a time, by threads of their own. */
  merges: number;
  mergeThreads: MergeThreads;
  joiner: Joiner;
  /** Memory for the templates of batches. */
  templateBytesMax: number;
  templateIdleMsMax: number;
  events: ReturnType<typeof annotatorEvents>;
  metrics: JobMetrics;
  /** Opens the passwords of PDF forms. */
  unseal: Unseal;
}

/** Starts the workers for this service's jobs. */
export function startWorkers({
  backends,
  count,
  threads,
  merges,
  mergeThreads,
  joiner,
  templateBytesMax,
  templateIdleMsMax,
  events,
  metrics,
  unseal,
}: WorkerParts): Closeable {
  const filling = laneOfThreads(count);
  const optionsOf = (queue: string, jobEvents: JobEvents, concurrency = count, lane = filling) =>
    workerParts(backends, metrics, queue, { concurrency, events: jobEvents, lane });
  const blobsOf = (queue: string) => metrics.weighed(queue, backends.blobs);
  const work = {
    fill: traced('fill', threads.fill),
    fillForm: traced('fill', threads.fillForm),
    generate: traced('fill', threads.generate),
    inspect: traced('inspect', threads.inspect),
    inspectForm: traced('inspect', threads.inspectForm),
    lint: traced('inspect', threads.lint),
    fillRows: traced('fill', threads.fillRows),
    fillForms: traced('fill', threads.fillForms),
  };
  const rowBlobs = blobsOf(fillRowsJob.name);
  const rows = fillRowsHandler({
    threads: work,
    blobs: rowBlobs,
    templates: new TemplateBytes(rowBlobs, templateBytesMax, templateIdleMsMax),
    onFailure: events.rowFailed,
  });
  const workers = [
    startJobWorker(
      annotateJob,
      annotateHandler(work, blobsOf(annotateJob.name), unseal),
      optionsOf(annotateJob.name, events.annotate),
    ),
    startJobWorker(
      generateJob,
      generateHandler(work, blobsOf(generateJob.name), unseal),
      optionsOf(generateJob.name, events.generate),
    ),
    startJobWorker(
      inspectJob,
      inspectHandler(work, blobsOf(inspectJob.name), unseal),
      optionsOf(inspectJob.name, events.inspect),
    ),
    startJobWorker(fillRowsJob, rows, optionsOf(fillRowsJob.name, events.fillRows)),
    startJobWorker(
      joinRowsJob,
      joinRowsHandler(joiner, blobsOf(joinRowsJob.name)),
      optionsOf(joinRowsJob.name, events.joinRows, JOINS, laneOfThreads(JOINS)),
    ),
    startJobWorker(
      mergeJob,
      mergeHandler({ merge: traced('merge', mergeThreads.merge) }, blobsOf(mergeJob.name)),
      optionsOf(mergeJob.name, events.merge, merges, laneOfThreads(merges)),
    ),
    startJobWorker(
      joinJob,
      joinHandler(joiner, blobsOf(joinJob.name)),
      optionsOf(joinJob.name, events.join, JOINS, laneOfThreads(JOINS)),
    ),
  ];
  return { close: async () => void (await Promise.all(workers.map((worker) => worker.close()))) };
}
