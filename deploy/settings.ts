import { annotatorSettings } from '@scriptorium/annotator/config';
import { converterSettings } from '@scriptorium/converter/config';
import { gatewaySettings } from '@scriptorium/gateway/settings/config';
import { signerSettings } from '@scriptorium/signer/config';
import { telemetrySettings } from '@scriptorium/telemetry/config';
import { verifierSettings } from '@scriptorium/verifier/config';
import type { z } from 'zod';

/**
 * The environment settings of each service: for generated documents, and for tests that check a deployment against
 * them.
 */
export const SERVICE_SETTINGS = {
  gateway: gatewaySettings,
  converter: converterSettings,
  annotator: annotatorSettings,
  signer: signerSettings,
  telemetry: telemetrySettings,
  verifier: verifierSettings,
} as const satisfies Record<string, z.ZodObject>;

export type ServiceName = keyof typeof SERVICE_SETTINGS;
export const SERVICE_NAMES = Object.keys(SERVICE_SETTINGS) as ServiceName[];
