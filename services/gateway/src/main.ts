import { readFile } from 'node:fs/promises';
import { loadConfig } from '@scriptorium/shared/config';
import { closeOnSignal, start } from '@scriptorium/shared/lifecycle';
import { createLogger } from '@scriptorium/shared/logger';
import { gatewaySettings } from './config.ts';
import { gatewayEvents } from './events.ts';
import { startGateway } from './gateway.ts';

await start(async () => {
  const config = loadConfig(gatewaySettings);
  const logger = createLogger('gateway', config.LOG_LEVEL);
  const events = gatewayEvents(logger);
  const manifest = JSON.parse(await readFile(new URL('../package.json', import.meta.url), 'utf8')) as {
    version: string;
  };
  const gateway = await startGateway(config, manifest.version, events);
  closeOnSignal(logger, [gateway]);
  events.listening(gateway.address);
});
