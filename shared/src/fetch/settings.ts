import {
  type DestinationPolicy,
  destinationPolicy,
  USUAL_PORTS,
} from '@scriptorium/fetching/destination-policy';
import { type HostRule, parseHostRule } from '@scriptorium/fetching/host-rule';
import { z } from 'zod';
import { ConfigError } from '../config.ts';

const hostRules = () =>
  z
    .string()
    .transform((text, context) =>
      text.split(',').flatMap((entry, index): HostRule[] => {
        const rule = parseHostRule(entry.trim());
        if (rule !== undefined) return [rule];
        const message = `entry ${index + 1} must be a host, *.host, address or network/bits, with or without :port`;
        context.addIssue({ code: 'custom', message });
        return [];
      }),
    )
    .default([])
    .meta({ defaultText: 'none' });

/** Settings for fetching the URLs of callers. */
export const fetchSettings = {
  FETCH: z
    .enum(['on', 'off', 'allowlist'])
    .default('on')
    .describe(
      '`on`: fetch URLs from public addresses on ports 80 and 443, and from the entries of `FETCH_ALLOW`. `allowlist`: only from the entries of `FETCH_ALLOW`. `off`: do not fetch URLs',
    ),
  FETCH_ALLOW: hostRules().describe(
    'Comma-separated hosts and addresses that may also be fetched. `files.example.com:8443` and `*.example.com:8443` (subdomains) permit a port; the addresses of these hosts must still be public. `10.1.2.3`, `10.1.0.0/16:9000` and `[fd00::/8]:9000` permit addresses, including private ones, for any host name. Without a port: 80 and 443',
  ),
  FETCH_DENY: hostRules().describe(
    'Comma-separated hosts and addresses that are never fetched. It takes precedence over `FETCH_ALLOW`. Without a port: every port',
  ),
};

export type FetchConfig = z.output<z.ZodObject<typeof fetchSettings>>;

/** Selects these settings from a configuration, for a thread, which must not get the secrets. */
export const fetchConfigOf = ({ FETCH, FETCH_ALLOW, FETCH_DENY }: FetchConfig): FetchConfig => ({
  FETCH,
  FETCH_ALLOW,
  FETCH_DENY,
});

/** Throws ConfigError for rules that have no effect. */
export function policyOf(config: FetchConfig): DestinationPolicy {
  refuseIdleRules(config);
  const { FETCH, FETCH_ALLOW: allow, FETCH_DENY: deny } = config;
  return destinationPolicy({ isAllowList: FETCH === 'allowlist', allow, deny });
}

function refuseIdleRules({ FETCH, FETCH_ALLOW }: FetchConfig): void {
  const mistakes: string[] = [];
  if (FETCH === 'allowlist' && FETCH_ALLOW.length === 0)
    mistakes.push('FETCH_ALLOW is not set: FETCH=allowlist requires at least one entry');
  FETCH_ALLOW.forEach((rule, index) => {
    if (FETCH === 'on' && rule.kind === 'name' && (rule.port === undefined || USUAL_PORTS.has(rule.port)))
      mistakes.push(
        `FETCH_ALLOW: entry ${index + 1} has no effect: with FETCH=on, a host name needs a port other than 80 and 443`,
      );
  });
  if (mistakes.length > 0) throw new ConfigError(mistakes);
}
