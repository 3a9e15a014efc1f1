import { loadConfig } from '@scriptorium/shared/config';
import { closeOnSignal, start } from '@scriptorium/shared/lifecycle';
import { createLogger } from '@scriptorium/shared/logger';
import { createMetrics } from '@scriptorium/shared/metrics/metrics';
import { packageVersion } from '@scriptorium/shared/package-version';
import { startTracing, traceFieldsFor } from '@scriptorium/shared/tracing/start';
import { startGateway } from './gateway.ts';
import { gatewayEvents } from './monitoring/events.ts';
import { gatewayMetrics } from './monitoring/metrics.ts';
import { gatewaySettings } from './settings/config.ts';
import { SEND_MS_MAX } from './settings/limits.ts';

await start('gateway', async () => {
  const config = loadConfig(gatewaySettings);
  const logger = createLogger('gateway', config.LOG_LEVEL, traceFieldsFor(config));
  const version = await packageVersion(import.meta.url);
  const tracing = await startTracing(config, { service: 'gateway', version }, logger);
  const metrics = createMetrics('gateway', version);
  const events = gatewayEvents(logger, gatewayMetrics(metrics));
  const gateway = await startGateway(config, version, metrics, events);
  closeOnSignal(logger, [gateway, tracing], config.DRAIN_MS + config.DEADLINE_MS + SEND_MS_MAX);
  events.listening(gateway.address, gateway.internalAddress);
});
