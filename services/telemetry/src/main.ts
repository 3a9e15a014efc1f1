import { readFile } from 'node:fs/promises';
import { loadConfig } from '@scriptorium/shared/config';
import { closeOnSignal, start } from '@scriptorium/shared/lifecycle';
import { createLogger } from '@scriptorium/shared/logger';
import { telemetrySettings } from './config.ts';
import { telemetryEvents } from './events.ts';
import { startTelemetry } from './service.ts';

await start(async () => {
  const config = loadConfig(telemetrySettings);
  const events = telemetryEvents(createLogger('telemetry', config.LOG_LEVEL));
  const { version } = JSON.parse(await readFile(new URL('../package.json', import.meta.url), 'utf8')) as {
    version: string;
  };
  const service = await startTelemetry(config, version, events);
  closeOnSignal(events.logger, [service]);
  events.ready(service.address, config.TELEMETRY_ROLE);
});
