import { annotatorSettings } from '@scriptorium/annotator/config';
import { converterSettings } from '@scriptorium/converter/config';
import { gatewaySettings } from '@scriptorium/gateway/config';
import { signerSettings } from '@scriptorium/signer/config';
import { telemetrySettings } from '@scriptorium/telemetry/config';
import { verifierSettings } from '@scriptorium/verifier/config';
import type { z } from 'zod';

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
