import { type Address, isPublic } from './address.ts';
import { containsAddress, type HostRule, matchesName, type NameRule, type RangeRule } from './host-rule.ts';

export interface DestinationRules {
  /** Whether destinations that no rule allows are refused. */
  isAllowList: boolean;
  allow: readonly HostRule[];
  deny: readonly HostRule[];
}

/** The destination of a request: the host of the URL, and every address that it resolves to. */
export interface Destination {
  host: string;
  port: number;
  addresses: Address[];
}

/** Returns why a destination is not permitted, for the log, or undefined if it is permitted. */
export type DestinationPolicy = (destination: Destination) => string | undefined;

/** Ports that need no rule. */
export const USUAL_PORTS: ReadonlySet<number> = new Set([80, 443]);

/**
 * Public addresses on usual ports are permitted, and what the rules allow. What they deny is not.
 *
 * @example
 * import { parseAddress } from '@scriptorium/fetching/address';
 * const policy = destinationPolicy({ allow: [], deny: [] });
 * policy({ host: 'example.org', port: 443, addresses: [parseAddress('9.9.9.9')] }) // undefined
 * typeof policy({ host: 'example.org', port: 443, addresses: [parseAddress('10.0.0.1')] }) // 'string'
 */
export function destinationPolicy(rules: DestinationRules): DestinationPolicy {
  const allow = sortRules(rules.allow);
  const deny = sortRules(rules.deny);
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
    if (!isNamed && rules.isAllowList) return `${host} port ${port} is not on the allow list`;
    if (!isNamed && !USUAL_PORTS.has(port)) return `port ${port} of ${host} is not allowed`;
    return undefined;
  };
}

function sortRules(rules: readonly HostRule[]): { names: NameRule[]; ranges: RangeRule[] } {
  return {
    names: rules.filter((rule) => rule.kind === 'name'),
    ranges: rules.filter((rule) => rule.kind === 'range'),
  };
}
