import { availableParallelism } from 'node:os';
import { ConfigError, commonSettings, flag, integer, internalSettings } from '@scriptorium/shared/config';
import { fetchConfigOf, fetchSettings } from '@scriptorium/shared/fetch/settings';
import { sealingSettings } from '@scriptorium/shared/secrets/settings';
import { tracingSettings } from '@scriptorium/shared/tracing/settings';
import { z } from 'zod';
import type { SignSettings } from './open-tools.ts';

const SIGNERS_MAX = 256;

export const signerSettings = z.object({
  ...commonSettings,
  ...internalSettings(9467),
  SIGNERS: integer(1, SIGNERS_MAX)
    .default(Math.min(availableParallelism(), SIGNERS_MAX))
    .describe('Documents signed at a time; by default one a core')
    .meta({ defaultText: 'cores' }),
  ...sealingSettings,
  SIGNING_PROFILES: z
    .string()
    .optional()
    .describe('JSON file of the keys that the service holds, by name; `service` is its own'),
  TIMESTAMP_PROFILES: z
    .string()
    .optional()
    .describe('JSON file of time-stamping authorities, by name; `default` serves where a request names none'),
  DEVELOPMENT_KEY_DIR: z
    .string()
    .optional()
    .describe('Folder of a development authority and key, made where there are none; for trying out only'),
  DEVELOPMENT_KEY_IN_PRODUCTION: flag()
    .default(false)
    .describe('Start with a development key although `NODE_ENV` is `production`'),
  ...fetchSettings,
  ...tracingSettings,
});

export type SignerConfig = z.output<typeof signerSettings>;

/** What keys and authorities are opened with. */
export function signSettings(config: SignerConfig, version: string): SignSettings {
  return {
    version,
    profilesFile: config.SIGNING_PROFILES,
    developmentKeyFolder: config.DEVELOPMENT_KEY_DIR,
    timestampProfilesFile: config.TIMESTAMP_PROFILES,
    fetch: fetchConfigOf(config),
  };
}

/** Throws ConfigError in production, unless told that it is meant so. */
export function refuseDevelopmentKey({ NODE_ENV, DEVELOPMENT_KEY_IN_PRODUCTION }: SignerConfig): void {
  if (NODE_ENV !== 'production' || DEVELOPMENT_KEY_IN_PRODUCTION) return;
  throw new ConfigError([
    'SIGNING_PROFILES names no profile `service`, and a development key is not for production: name one, ' +
      'or set DEVELOPMENT_KEY_IN_PRODUCTION=true',
  ]);
}
