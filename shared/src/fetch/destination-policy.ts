import { type Address, isPublic } from '@scriptorium/fetching/address';
import {
  containsAddress,
  type HostRule,
  matchesName,
  type NameRule,
  type RangeRule,
} from '@scriptorium/fetching/host-rule';
import { ConfigError } from '../config.ts';
import type { FetchConfig } from './settings.ts';

/** The destination of a request: the host of the URL, and every address that it resolves to. */
export interface Destination {
  host: string;
  port: number;
  addresses: Address[];
}

/** Returns why a destination is not permitted, for the log, or undefined if it is permitted. */
export type DestinationPolicy = (destination: Destination) => string | undefined;

const USUAL_PORTS = new Set([80, 443]);

/** Throws ConfigError for rules that have no effect. */
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
    // This also applies to named hosts: their name servers must not direct requests into our own network.
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
    mistakes.push('FETCH_ALLOW is not set: FETCH=allowlist requires at least one entry');
  FETCH_ALLOW.forEach((rule, index) => {
    if (FETCH === 'on' && rule.kind === 'name' && (rule.port === undefined || USUAL_PORTS.has(rule.port)))
      mistakes.push(
        `FETCH_ALLOW: entry ${index + 1} has no effect: with FETCH=on, a host name needs a port other than 80 and 443`,
      );
  });
  if (mistakes.length > 0) throw new ConfigError(mistakes);
}
