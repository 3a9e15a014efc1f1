import type { z } from 'zod';
import { annotatorSettings } from '../services/annotator/src/config.ts';
import { converterSettings } from '../services/converter/src/config.ts';
import { gatewaySettings } from '../services/gateway/src/config.ts';
import { signerSettings } from '../services/signer/src/config.ts';
import { telemetrySettings } from '../services/telemetry/src/config.ts';
import { verifierSettings } from '../services/verifier/src/config.ts';

/** What each service may be told by its environment: for whatever is made of it, and for tests that hold a deployment to it. */
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
