import { loadConfig } from '@scriptorium/shared/config';
import { closeOnSignal, start } from '@scriptorium/shared/lifecycle';
import { createLogger } from '@scriptorium/shared/logger';
import { createMetrics } from '@scriptorium/shared/metrics/metrics';
import { packageVersion } from '@scriptorium/shared/package-version';
import { telemetrySettings } from './config.ts';
import { telemetryEvents } from './events.ts';
import { telemetryMetrics } from './metrics.ts';
import { answerMsMax, startTelemetry } from './service.ts';

await start('telemetry', async () => {
  const config = loadConfig(telemetrySettings);
  const version = await packageVersion(import.meta.url);
  const metrics = createMetrics('telemetry', version);
  const events = telemetryEvents(createLogger('telemetry', config.LOG_LEVEL), telemetryMetrics(metrics));
  const service = await startTelemetry(config, version, metrics, events);
  closeOnSignal(events.logger, [service], config.DRAIN_MS + answerMsMax(config));
  events.ready(service.address, config.TELEMETRY_ROLE, service.internalAddress);
});
