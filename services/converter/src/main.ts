import { createRedisBlobStore } from '@scriptorium/shared/blob/redis';
import { loadConfig } from '@scriptorium/shared/config';
import { convertJob } from '@scriptorium/shared/jobs/convert';
import { closeOnSignal, start } from '@scriptorium/shared/lifecycle';
import { createLogger } from '@scriptorium/shared/logger';
import { connectPatient, disconnect } from '@scriptorium/shared/queue/connection';
import { startJobWorker } from '@scriptorium/shared/queue/worker';
import { converterSettings } from './config.ts';
import { convertWith } from './convert.ts';
import { createEngines } from './engines.ts';
import { converterEvents } from './events.ts';
import { convertHandler } from './handler.ts';

await start(async () => {
  const config = loadConfig(converterSettings);
  const logger = createLogger('converter', config.LOG_LEVEL);
  const events = converterEvents(logger);
  const engines = await createEngines({ slots: config.ENGINES, onEvent: events.engine });
  const queue = connectPatient(config.REDIS_URL);
  const store = connectPatient(config.REDIS_BLOB_URL ?? config.REDIS_URL);
  const blobs = createRedisBlobStore(store);
  const worker = startJobWorker(convertJob, convertHandler(convertWith(engines), blobs), {
    redis: queue,
    concurrency: config.ENGINES,
    removeBlobs: (keys) => blobs.remove(keys),
    capacity: () => (engines.some((engine) => engine.health().ready) ? config.ENGINES : 0),
    events,
  });
  closeOnSignal(logger, [
    worker,
    { close: async () => void (await Promise.all(engines.map((engine) => engine.close()))) },
    { close: async () => void (await Promise.all([disconnect(queue), disconnect(store)])) },
  ]);
  events.ready(engines.map((engine) => engine.name));
});
