import { convertJob } from '@scriptorium/contracts/jobs/convert';
import { loadConfig } from '@scriptorium/shared/config';
import { closeOnSignal, start } from '@scriptorium/shared/lifecycle';
import { createLogger } from '@scriptorium/shared/logger';
import { createMetrics } from '@scriptorium/shared/metrics/metrics';
import { packageVersion } from '@scriptorium/shared/package-version';
import { startTracing, traceFieldsFor } from '@scriptorium/shared/tracing/start';
import { converterSettings } from './config.ts';
import { startConverter } from './converter.ts';
import { converterEvents } from './events.ts';
import { converterMetrics } from './metrics.ts';

await start('converter', async () => {
  const config = loadConfig(converterSettings);
  const logger = createLogger('converter', config.LOG_LEVEL, traceFieldsFor(config));
  const version = await packageVersion(import.meta.url);
  const tracing = await startTracing(config, { service: 'converter', version }, logger);
  const metrics = createMetrics('converter', version);
  const counted = converterMetrics(metrics);
  const events = converterEvents(logger, counted);
  const converter = await startConverter(config, metrics, counted, events);
  closeOnSignal(logger, [...converter.parts, tracing], convertJob.timeoutMs);
  events.ready(converter.engines, converter.internalAddress);
});
