import { ConfigError } from '../config.ts';
import { type Address, isPublic } from './address.ts';
import { containsAddress, type HostRule, matchesName, type NameRule, type RangeRule } from './host-rule.ts';
import type { FetchConfig } from './settings.ts';

/** Where a request is about to go: the host as the URL names it, and every address that it resolves to. */
export interface Destination {
  host: string;
  port: number;
  addresses: Address[];
}

/** Says why a request may not go there, for the log; undefined where it may. */
export type DestinationPolicy = (destination: Destination) => string | undefined;

const USUAL_PORTS = new Set([80, 443]);

/** Throws ConfigError for rules that would not do what they seem to. */
export function destinationPolicy(config: FetchConfig): DestinationPolicy {
  refuseIdleRules(config);
  const allow = sortRules(config.FETCH_ALLOW);
  const deny = sortRules(config.FETCH_DENY);
  return ({ host, port, addresses }) => {
    const isDenied = (rule: HostRule) => rule.port === undefined || rule.port === port;
    const isAllowed = (rule: HostRule) =>
      rule.port === undefined ? USUAL_PORTS.has(port) : rule.port === port;
    const isInAllowedRange = (address: Address) =>
      allow.ranges.some((rule) => isAllowed(rule) && containsAddress(rule, address));

    if (addresses.length === 0) return `${host} has no address`;
    if (deny.names.some((rule) => isDenied(rule) && matchesName(rule, host))) return `${host} is denied`;
    const denied = addresses.find((address) =>
      deny.ranges.some((rule) => isDenied(rule) && containsAddress(rule, address)),
    );
    if (denied !== undefined) return `${denied} of ${host} is denied`;
    // Also for hosts that are named: whoever answers for the name must not lead us into our own network.
    const inside = addresses.find((address) => !isPublic(address) && !isInAllowedRange(address));
    if (inside !== undefined) return `${inside} of ${host} is not public`;
    const isNamed =
      allow.names.some((rule) => isAllowed(rule) && matchesName(rule, host)) ||
      addresses.every(isInAllowedRange);
    if (!isNamed && config.FETCH === 'allowlist') return `${host} port ${port} is not on the allow list`;
    if (!isNamed && !USUAL_PORTS.has(port)) return `port ${port} of ${host} is not allowed`;
    return undefined;
  };
}

function sortRules(rules: HostRule[]): { names: NameRule[]; ranges: RangeRule[] } {
  return {
    names: rules.filter((rule) => rule.kind === 'name'),
    ranges: rules.filter((rule) => rule.kind === 'range'),
  };
}

function refuseIdleRules({ FETCH, FETCH_ALLOW }: FetchConfig): void {
  const mistakes: string[] = [];
  if (FETCH === 'allowlist' && FETCH_ALLOW.length === 0)
    mistakes.push('FETCH_ALLOW is not set: with FETCH=allowlist nothing could be fetched');
  FETCH_ALLOW.forEach((rule, index) => {
    if (FETCH === 'on' && rule.kind === 'name' && (rule.port === undefined || USUAL_PORTS.has(rule.port)))
      mistakes.push(
        `FETCH_ALLOW: entry ${index + 1} adds nothing: a host name opens a port, an address or range opens addresses; with FETCH=allowlist it would be one of the few hosts`,
      );
  });
  if (mistakes.length > 0) throw new ConfigError(mistakes);
}
