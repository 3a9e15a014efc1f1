import { createRedisBlobStore } from '@scriptorium/shared/blob/redis';
import { loadConfig } from '@scriptorium/shared/config';
import { annotateJob } from '@scriptorium/shared/jobs/annotate';
import { inspectJob } from '@scriptorium/shared/jobs/inspect';
import { closeOnSignal, start } from '@scriptorium/shared/lifecycle';
import { createLogger } from '@scriptorium/shared/logger';
import { findTextFont } from '@scriptorium/shared/ooxml/images/text-font';
import { connectPatient, disconnect } from '@scriptorium/shared/queue/connection';
import { startJobWorker } from '@scriptorium/shared/queue/worker';
import { AnnotateThreads } from './annotate-threads.ts';
import { annotatorSettings } from './config.ts';
import { annotatorEvents } from './events.ts';
import { annotateHandler, inspectHandler } from './handler.ts';
import { warmUpRequest } from './warm-up.ts';

await start(async () => {
  const { ANNOTATORS: count, ...config } = loadConfig(annotatorSettings);
  const logger = createLogger('annotator', config.LOG_LEVEL);
  const events = annotatorEvents(logger);
  const cache = { templateCacheBytesMax: config.TEMPLATE_CACHE_BYTES_MAX };
  const threads = new AnnotateThreads({ threads: count, font: await findTextFont(), ...cache });
  await threads.warmUp(warmUpRequest());
  const queue = connectPatient(config.REDIS_URL);
  const store = connectPatient(config.REDIS_BLOB_URL ?? config.REDIS_URL);
  const blobs = createRedisBlobStore(store);
  const removeBlobs = (keys: string[]) => blobs.remove(keys);
  const worker = { redis: queue, concurrency: count, removeBlobs, capacity: () => count };
  const workers = [
    startJobWorker(annotateJob, annotateHandler(threads, blobs), { ...worker, events: events.annotate }),
    startJobWorker(inspectJob, inspectHandler(threads, blobs), { ...worker, events: events.inspect }),
  ];
  closeOnSignal(logger, [
    { close: async () => void (await Promise.all(workers.map((worker) => worker.close()))) },
    threads,
    { close: async () => void (await Promise.all([disconnect(queue), disconnect(store)])) },
  ]);
  events.ready(count);
});
