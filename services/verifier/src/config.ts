import { availableParallelism } from 'node:os';
import { SERVICES } from '@scriptorium/contracts/services';
import type { Certificate } from '@scriptorium/pki/certificates';
import { ConfigError, commonSettings, integer, internalSettings } from '@scriptorium/shared/config';
import { fetchConfigOf, fetchSettings } from '@scriptorium/shared/fetch/settings';
import {
  jobSecretSettings,
  jobSecretsInProduction,
  verifierSealingSettings,
} from '@scriptorium/shared/secrets/settings';
import { threadSettings } from '@scriptorium/shared/threads/settings';
import { tracingSettings } from '@scriptorium/shared/tracing/settings';
import { z } from 'zod';
import type { ListsThreadData } from './lists-thread.ts';
import { loadTrustProfiles, readAnchors } from './trust-profiles.ts';
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
  TRUSTED_LISTS: z
    .url({ protocol: /^https?$/ })
    .optional()
    .describe(
      'Address of the list of trusted lists, `https://ec.europa.eu/tools/lotl/eu-lotl.xml`. With it, there is the trust profile `eu`',
    ),
  TRUSTED_LISTS_SIGNERS: z
    .string()
    .optional()
    .describe(
      'PEM file of the certificates that may sign the list of trusted lists, from the Official Journal',
    ),
  TRUSTED_LISTS_FOLDER: z
    .string()
    .optional()
    .describe('Folder that has the trusted lists as files. By default, they are fetched'),
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
    hasTrustedLists: config.TRUSTED_LISTS !== undefined,
    trustProfiles: [...profiles].map(([name, anchors]) => [name, anchors.map(({ der }) => der)]),
    fetch: fetchConfigOf(config),
    poppler,
  };
}

/** The data of the thread that loads trusted lists, if the operator wants them. Throws ConfigError. */
export async function trustedListSettings(config: VerifierConfig): Promise<ListsThreadData | undefined> {
  const { TRUSTED_LISTS: address, TRUSTED_LISTS_SIGNERS: file, TRUSTED_LISTS_FOLDER: folder } = config;
  if (address === undefined) return undefined;
  const signers = file === undefined ? 'is required by TRUSTED_LISTS' : await readAnchors(file);
  if (typeof signers === 'string') throw new ConfigError([`TRUSTED_LISTS_SIGNERS: ${signers}`]);
  return { address, signers: signers.map(({ der }) => der), folder, fetch: fetchConfigOf(config) };
}
