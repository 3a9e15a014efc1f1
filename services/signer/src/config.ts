import type { X509Certificate } from 'node:crypto';
import { availableParallelism } from 'node:os';
import type { Certificate } from '@scriptorium/pki/x509/certificate';
import {
  ConfigError,
  commonSettings,
  flag,
  integer,
  internalSettings,
  settingsAsWritten,
} from '@scriptorium/shared/config';
import { fetchSettings } from '@scriptorium/shared/fetch/settings';
import { sealingSettings } from '@scriptorium/shared/secrets/settings';
import { tracingSettings } from '@scriptorium/shared/tracing/settings';
import { z } from 'zod';
import type { SignSettings } from './open-tools.ts';
import { loadTrustProfiles } from './trust/trust-profiles.ts';
import type { VerifyThreadData } from './verify-threads.ts';

const THREADS_MAX = 256;

const threads = (what: string) =>
  integer(1, THREADS_MAX)
    .default(Math.min(availableParallelism(), THREADS_MAX))
    .describe(`Number of documents ${what} at a time. By default one per core`)
    .meta({ defaultText: 'cores' });

export const signerSettings = z.object({
  ...commonSettings,
  ...internalSettings(9467),
  SIGNERS: threads('signed'),
  VERIFIERS: threads('verified'),
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
  TRUST_PROFILES: z
    .string()
    .optional()
    .describe(
      'JSON file of the trust anchors for verification by name. `default` applies if a request names none',
    ),
  DEVELOPMENT_KEY_DIR: z
    .string()
    .optional()
    .describe('Folder of a development authority and key. The signer creates missing ones. For trials only'),
  DEVELOPMENT_KEY_IN_PRODUCTION: flag()
    .default(false)
    .describe('Allow a development key although `NODE_ENV` is `production`'),
  ...fetchSettings,
  ...tracingSettings,
});

export type SignerConfig = z.output<typeof signerSettings>;

const fetchAsWritten = () => settingsAsWritten(Object.keys(fetchSettings));

/** What keys and authorities are opened with. */
export function signSettings(config: SignerConfig, version: string): SignSettings {
  return {
    version,
    profilesFile: config.SIGNING_PROFILES,
    developmentKeyFolder: config.DEVELOPMENT_KEY_DIR,
    timestampProfilesFile: config.TIMESTAMP_PROFILES,
    fetch: fetchAsWritten(),
  };
}

/** What verifying starts with beside the documents: public, all of it. Throws ConfigError. */
export async function verifySettings(
  config: SignerConfig,
  certificates: readonly X509Certificate[],
): Promise<VerifyThreadData> {
  const file = config.TRUST_PROFILES;
  const profiles = file === undefined ? new Map<string, Certificate[]>() : await loadTrustProfiles(file);
  return {
    serviceCertificates: certificates.map(({ raw }) => raw),
    trustProfiles: [...profiles].map(([name, anchors]) => [name, anchors.map(({ der }) => der)]),
    fetch: fetchAsWritten(),
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
