const COMMUNITY_LICENSE = 'community-and-eval-agplv3';

/** On the page's own origin: nothing goes to anybody else unless whoever integrates the editor names him. */
const DEFAULT_ENDPOINT = '/v1/collect';

export interface TelemetryOptions {
  /** The organization's license key, sent as `X-License-Key`; the community key where there is none. */
  licenseKey?: string | undefined;
  /** How documents without GUID or creation time, and hashes, are named: `crc32` is for accounts that migrate. */
  identifier?: 'sha256' | 'crc32' | undefined;
  telemetry?:
    | {
        /** `false`: no request is ever made. */
        enabled?: boolean | undefined;
        /** Where events go; `/v1/collect` of the page's own origin by default. */
        endpoint?: string | URL | undefined;
        /** Sent with every event; left out where it is no object, or more than 8 KiB or 1,000 values of JSON. */
        metadata?: Record<string, unknown> | undefined;
        /** @deprecated The `licenseKey` beside `telemetry` has priority. */
        licenseKey?: string | undefined;
      }
    | undefined;
}

export interface Settings {
  readonly enabled: boolean;
  readonly licenseKey: string;
  readonly endpoint: string;
  readonly identifier: 'sha256' | 'crc32';
  readonly metadata: unknown;
}

const text = (value: unknown): string => (typeof value === 'string' ? value : '');

/** Options with their defaults. What is anything but clearly on is off; throws where an option cannot be read. */
export function readSettings({ licenseKey, identifier, telemetry = {} }: TelemetryOptions = {}): Settings {
  const { enabled = true, endpoint, metadata, licenseKey: deprecatedKey } = telemetry;
  return {
    enabled: enabled === true && typeof telemetry === 'object',
    licenseKey: text(licenseKey) || text(deprecatedKey) || COMMUNITY_LICENSE,
    endpoint: String(endpoint || DEFAULT_ENDPOINT),
    identifier: identifier === 'crc32' ? 'crc32' : 'sha256',
    metadata,
  };
}
