import { readFile } from 'node:fs/promises';
import { AppError } from '@scriptorium/contracts/errors';
import { SERVICE_PROFILE } from '@scriptorium/contracts/jobs/sign';
import { externalSigner, type RawSigner } from '@scriptorium/pki/keys';
import { collectValidationData } from '@scriptorium/pki/revocation';
import { createTimestamper } from '@scriptorium/pki/timestamps';
import { ConfigError } from '@scriptorium/shared/config';
import { createFetcher, type Fetcher } from '@scriptorium/shared/fetch/fetcher';
import type { FetchConfig } from '@scriptorium/shared/fetch/settings';
import { newId } from '@scriptorium/shared/ids';
import { reportingFetcher } from '@scriptorium/shared/metrics/fetch-metrics';
import { noteToOwner } from '@scriptorium/shared/threads/thread';
import type { SignTools } from '@scriptorium/signatures/sign';
import { CallerKeys } from './keys/caller-keys.ts';
import { developmentSigner } from './keys/development.ts';
import { loadProfiles, type Profiles, profileSigner } from './keys/profiles.ts';
import { type TimestampProfiles, timestampProfilesSetting } from './timestamp-profiles.ts';

/** The authority for requests that name none. */
const DEFAULT_TIMESTAMP_PROFILE = 'default';
const ANSWER_BYTES_MAX = 64 * 1024;
/** Time limit for a request to an authority, which may also have its own. */
const AUTHORITY_MS_MAX = 30_000;

/** The settings for opening keys and authorities; can be passed to a thread. */
export interface SignSettings {
  version: string;
  profilesFile: string | undefined;
  developmentKeyFolder: string | undefined;
  timestampProfilesFile: string | undefined;
  fetch: FetchConfig;
}

/** The keys that the service holds, including its own. */
export interface OpenedProfiles {
  profiles: Profiles;
  service: RawSigner;
  /** The chains of other keys of the service, in PEM: of the next one, or of former ones. */
  otherChains: readonly string[];
  isDevelopmentKey: boolean;
}

/** Opens all keys that the service holds. Throws ConfigError. */
export async function openProfiles(settings: SignSettings): Promise<OpenedProfiles> {
  const { profilesFile, developmentKeyFolder } = settings;
  const profiles: Profiles =
    profilesFile === undefined
      ? new Map()
      : await loadProfiles(
          profilesFile,
          postOf(reportingFetcher(createFetcher(settings.fetch), noteToOwner)),
        );
  const configured = profiles.get(SERVICE_PROFILE);
  if (configured !== undefined) {
    const { signer: service, otherChains } = configured;
    return { profiles, service, otherChains, isDevelopmentKey: false };
  }
  if (developmentKeyFolder === undefined)
    throw new ConfigError([
      `SIGNING_PROFILES names no profile \`${SERVICE_PROFILE}\`, the service’s own key`,
    ]);
  const service = await developmentSigner(developmentKeyFolder);
  const own = { signer: service, otherChains: [], allow: 'everyone' as const };
  const all = new Map([...profiles, [SERVICE_PROFILE, own]]);
  return { profiles: all, service, otherChains: [], isDevelopmentKey: true };
}

/** Everything that signing needs except the document, and the service's own key. Throws ConfigError. */
export async function openTools(settings: SignSettings): Promise<{ tools: SignTools; service: RawSigner }> {
  const fetcher = reportingFetcher(createFetcher(settings.fetch), noteToOwner);
  const [{ profiles, service }, authorities] = await Promise.all([
    openProfiles(settings),
    readAuthorities(settings),
  ]);
  const callerKeys = new CallerKeys();
  const tools: SignTools = {
    version: settings.version,
    newAuditId: () => newId('aud'),
    now: () => new Date(),
    async openKey(key, sent) {
      if (key.kind === 'external') return externalSigner(key);
      if (sent !== undefined) return callerKeys.signer(sent, new Date());
      if (key.kind === 'profile') return profileSigner(profiles, key, new Date());
      throw new Error('a sealed key came without its content');
    },
    timestamper: (name) => timestamperOf(authorities, name, fetcher),
    validationData: (certificates) =>
      collectValidationData(certificates, fetcher, AbortSignal.timeout(AUTHORITY_MS_MAX)),
  };
  return { tools, service };
}

function postOf(fetcher: Fetcher) {
  return (url: string, request: { body: Buffer; contentType: string; headers: Record<string, string> }) =>
    fetcher.fetch(url, {
      bytesMax: ANSWER_BYTES_MAX,
      signal: AbortSignal.timeout(AUTHORITY_MS_MAX),
      post: request,
    });
}

function timestamperOf(authorities: TimestampProfiles, name: string | undefined, fetcher: Fetcher) {
  const wanted = name ?? DEFAULT_TIMESTAMP_PROFILE;
  // A caller's name such as `constructor` must not find an inherited property.
  const profile = Object.hasOwn(authorities, wanted) ? authorities[wanted] : undefined;
  // The fetcher limits each request: a document of level B-LTA needs two, with other authorities between them.
  if (profile !== undefined) return createTimestamper(profile, fetcher);
  if (name === undefined) return undefined;
  throw new AppError('VALIDATION_ERROR', 'This service has no time-stamping profile of this name.', {
    details: [{ field: 'timestamp.profile', issue: 'is not a profile of this service' }],
  });
}

/** The time-stamping authorities. Throws ConfigError. */
export async function readAuthorities({
  timestampProfilesFile: file,
}: SignSettings): Promise<TimestampProfiles> {
  if (file === undefined) return {};
  let text: string;
  try {
    text = await readFile(file, 'utf8');
  } catch (error) {
    throw new ConfigError([
      `TIMESTAMP_PROFILES: the file cannot be read (${(error as NodeJS.ErrnoException).code})`,
    ]);
  }
  const parsed = timestampProfilesSetting().safeParse(text);
  if (parsed.success) return parsed.data;
  throw new ConfigError(parsed.error.issues.map(({ message }) => `TIMESTAMP_PROFILES: ${message}`));
}
