const COMMUNITY_LICENSE = 'community-and-eval-agplv3';

/** The origin of the page, so that data go to other hosts only if the integrator configures one. */
const DEFAULT_ENDPOINT = '/v1/collect';

export interface TelemetryOptions {
  /** License key of the organization, sent as `X-License-Key`. By default the community key. */
  licenseKey?: string | undefined;
  /** Hash for document ids. `crc32` is for accounts that migrate. */
  identifier?: 'sha256' | 'crc32' | undefined;
  telemetry?:
    | {
        /** `false`: no requests are sent. */
        enabled?: boolean | undefined;
        /** URL of the collector. By default `/v1/collect` on the origin of the page. */
        endpoint?: string | URL | undefined;
        /** Sent with every event. Omitted if it is not an object, or exceeds 8 KiB or 1,000 values of JSON. */
        metadata?: Record<string, unknown> | undefined;
        /** @deprecated The `licenseKey` beside `telemetry` takes precedence. */
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

/** Returns the options with their defaults. Any `enabled` except `true` disables telemetry. Throws if an option cannot be read. */
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
