import { createRedisBlobStore } from '@scriptorium/shared/blob/redis';
import { loadConfig } from '@scriptorium/shared/config';
import { convertJob } from '@scriptorium/shared/jobs/convert';
import { closeOnSignal, start } from '@scriptorium/shared/lifecycle';
import { createLogger } from '@scriptorium/shared/logger';
import { findTextFont } from '@scriptorium/shared/ooxml/images/text-font';
import { connectPatient, disconnect } from '@scriptorium/shared/queue/connection';
import { startJobWorker } from '@scriptorium/shared/queue/worker';
import { converterSettings } from './config.ts';
import { convertWith } from './convert.ts';
import { warmUpDocuments } from './engines/warm-up.ts';
import { createEngines, sandboxOf } from './engines.ts';
import { converterEvents } from './events.ts';
import { systemFonts } from './fonts.ts';
import { GateThreads } from './gate-threads.ts';
import { convertHandler } from './handler.ts';

await start(async () => {
  const config = loadConfig(converterSettings);
  const logger = createLogger('converter', config.LOG_LEVEL);
  const events = converterEvents(logger);
  const gates = new GateThreads({ threads: config.ENGINES, font: await findTextFont() });
  const [engines] = await Promise.all([
    createEngines({ slots: config.ENGINES, sandbox: config.SANDBOX, onEvent: events.engine }),
    gates.warmUp(warmUpDocuments()),
  ]);
  const convert = convertWith({ engines, prepare: gates.prepare, fonts: systemFonts() });
  const queue = connectPatient(config.REDIS_URL);
  const store = connectPatient(config.REDIS_BLOB_URL ?? config.REDIS_URL);
  const blobs = createRedisBlobStore(store);
  const worker = startJobWorker(convertJob, convertHandler(convert, blobs), {
    redis: queue,
    concurrency: config.ENGINES,
    removeBlobs: (keys) => blobs.remove(keys),
    capacity: () => (engines.some((engine) => engine.health().ready) ? config.ENGINES : 0),
    sandbox: () => sandboxOf(engines),
    events,
  });
  closeOnSignal(logger, [
    worker,
    gates,
    { close: async () => void (await Promise.all(engines.map((engine) => engine.close()))) },
    { close: async () => void (await Promise.all([disconnect(queue), disconnect(store)])) },
  ]);
  events.ready(engines);
});
