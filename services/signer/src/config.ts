import { availableParallelism } from 'node:os';
import { SERVICES } from '@scriptorium/contracts/services';
import { ConfigError, commonSettings, flag, integer, internalSettings } from '@scriptorium/shared/config';
import { fetchConfigOf, fetchSettings } from '@scriptorium/shared/fetch/settings';
import {
  jobSecretSettings,
  jobSecretsInProduction,
  sealingSettings,
} from '@scriptorium/shared/secrets/settings';
import { threadSettings } from '@scriptorium/shared/threads/settings';
import { tracingSettings } from '@scriptorium/shared/tracing/settings';
import { z } from 'zod';
import type { SignSettings } from './open-tools.ts';

const SIGNERS_MAX = 256;

const settings = z.object({
  ...commonSettings,
  ...internalSettings(SERVICES.signer.internalPort),
  SIGNERS: integer(1, SIGNERS_MAX)
    .default(Math.min(availableParallelism(), SIGNERS_MAX))
    .describe('Number of documents signed concurrently. By default one per core')
    .meta({ defaultText: 'cores' }),
  ...sealingSettings,
  SIGNING_PROFILES: z
    .string()
    .optional()
    .describe('JSON file of the signing keys by name. `service` is the key of the service itself'),
  TIMESTAMP_PROFILES: z
    .string()
    .optional()
    .describe(
      'JSON file of the time-stamping authorities by name. `default` applies if a request names none',
    ),
  DEVELOPMENT_KEY_DIR: z
    .string()
    .optional()
    .describe('Folder of a development authority and key. The signer creates missing ones. For trials only'),
  DEVELOPMENT_KEY_IN_PRODUCTION: flag()
    .default(false)
    .describe('Allow a development key although `NODE_ENV` is `production`'),
  ...fetchSettings,
  ...threadSettings,
  SIGNER_JOB_SECRET: jobSecretSettings.SIGNER_JOB_SECRET,
  ...tracingSettings,
});

export const signerSettings = jobSecretsInProduction(settings, ['SIGNER_JOB_SECRET']);

export type SignerConfig = z.output<typeof signerSettings>;

/** The settings for opening keys and authorities. */
export function signSettings(config: SignerConfig, version: string): SignSettings {
  return {
    version,
    profilesFile: config.SIGNING_PROFILES,
    developmentKeyFolder: config.DEVELOPMENT_KEY_DIR,
    timestampProfilesFile: config.TIMESTAMP_PROFILES,
    fetch: fetchConfigOf(config),
  };
}

/** Throws ConfigError if a development key would be used in production without explicit permission. */
export function refuseDevelopmentKey({ NODE_ENV, DEVELOPMENT_KEY_IN_PRODUCTION }: SignerConfig): void {
  if (NODE_ENV !== 'production' || DEVELOPMENT_KEY_IN_PRODUCTION) return;
  throw new ConfigError([
    'SIGNING_PROFILES names no profile `service`, and a development key must not be used in production: name one, ' +
      'or set DEVELOPMENT_KEY_IN_PRODUCTION=true',
  ]);
}
