import { availableParallelism } from 'node:os';
import { SERVICES } from '@scriptorium/contracts/services';
import type { Certificate } from '@scriptorium/pki/certificates';
import { commonSettings, integer, internalSettings } from '@scriptorium/shared/config';
import { fetchConfigOf, fetchSettings } from '@scriptorium/shared/fetch/settings';
import {
  jobSecretSettings,
  jobSecretsInProduction,
  verifierSealingSettings,
} from '@scriptorium/shared/secrets/settings';
import { threadSettings } from '@scriptorium/shared/threads/settings';
import { tracingSettings } from '@scriptorium/shared/tracing/settings';
import { z } from 'zod';
import { loadTrustProfiles } from './trust-profiles.ts';
import type { VerifyThreadData } from './verify-thread.ts';

const VERIFIERS_MAX = 256;

const settings = z.object({
  ...commonSettings,
  ...internalSettings(SERVICES.verifier.internalPort),
  VERIFIERS: integer(1, VERIFIERS_MAX)
    .default(Math.min(availableParallelism(), VERIFIERS_MAX))
    .describe('Number of documents verified concurrently. By default one per core')
    .meta({ defaultText: 'cores' }),
  TRUST_PROFILES: z
    .string()
    .optional()
    .describe('JSON file of trust anchors by profile name. `default` applies if a request names none'),
  SECOND_READER: z
    .enum(['required', 'preferred', 'off'])
    .default('preferred')
    .describe(
      'Whether Poppler reads PDFs with updates as well, beside PDFium. `preferred`: where this host can run it confined. `required`: do not start otherwise',
    ),
  ...fetchSettings,
  ...verifierSealingSettings,
  ...threadSettings,
  VERIFIER_JOB_SECRET: jobSecretSettings.VERIFIER_JOB_SECRET,
  ...tracingSettings,
});

export const verifierSettings = jobSecretsInProduction(settings, ['VERIFIER_JOB_SECRET']);

export type VerifierConfig = z.output<typeof verifierSettings>;

/** The data that threads start with; all of it is public. Throws ConfigError. */
export async function verifySettings(
  config: VerifierConfig,
  poppler: VerifyThreadData['poppler'],
): Promise<VerifyThreadData> {
  const { TRUST_PROFILES: file } = config;
  const profiles = file === undefined ? new Map<string, Certificate[]>() : await loadTrustProfiles(file);
  return {
    trustProfiles: [...profiles].map(([name, anchors]) => [name, anchors.map(({ der }) => der)]),
    fetch: fetchConfigOf(config),
    poppler,
  };
}
