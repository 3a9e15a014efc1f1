import { loadConfig } from '@scriptorium/shared/config';
import { annotatorSettings } from '../../../services/annotator/src/config.ts';
import { converterSettings } from '../../../services/converter/src/config.ts';
import { gatewaySettings } from '../../../services/gateway/src/config.ts';
import { signerSettings } from '../../../services/signer/src/config.ts';
import { telemetrySettings } from '../../../services/telemetry/src/config.ts';

/** What each service may be told by its environment. */
export const settingsOf = {
  gateway: gatewaySettings,
  converter: converterSettings,
  annotator: annotatorSettings,
  signer: signerSettings,
  telemetry: telemetrySettings,
};

export type ServiceName = keyof typeof settingsOf;
export const serviceNames = Object.keys(settingsOf) as ServiceName[];

/** Reads these settings as that service does. Throws ConfigError. */
export function load(name: ServiceName, environment: Record<string, string>): { NODE_ENV: string } {
  return loadConfig(settingsOf[name] as (typeof settingsOf)['telemetry'], environment);
}
