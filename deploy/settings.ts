import { annotatorSettings } from '@scriptorium/annotator/config';
import type { ServiceName } from '@scriptorium/contracts/services';
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
  verifier: verifierSettings,
  telemetry: telemetrySettings,
} as const satisfies Record<ServiceName, z.ZodObject>;
