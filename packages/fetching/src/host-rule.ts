import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';
import { type Address, parseAddress } from './address.ts';

/** An entry of an allow or a deny list. Without `port`, the list determines the ports. */
export type HostRule = NameRule | RangeRule;

export interface NameRule {
  kind: 'name';
  name: string;
  /** True for `*.name`: every host under the name, but not the name itself. */
  isSuffix: boolean;
  port: number | undefined;
}

/** Plain data, so that a rule can be sent to a thread. */
export interface RangeRule {
  kind: 'range';
  /** Octets of the network address. */
  network: readonly number[];
  prefixBits: number;
  port: number | undefined;
}

const PORT = /^(.*[^:]):(\d{1,5})$/;
/** `[…]` around an IPv6 address or range, so that a port can follow it. */
const BRACKETED = /^\[([^[\]]*)\](?::(\d{1,5}))?$/;
const NAME = /^(?=.{1,253}$)[a-z0-9_]([a-z0-9_-]{0,61}[a-z0-9_])?(\.[a-z0-9_]([a-z0-9_-]{0,61}[a-z0-9_])?)*$/;

/**
 * Parses `host`, `*.host`, `address` or `network/bits`, each with or without `:port`. Returns undefined for anything else.
 *
 * @example
 * parseHostRule('*.example.org:8443') // { kind: 'name', name: 'example.org', isSuffix: true, port: 8443 }
 * parseHostRule('example.org/24') // undefined
 */
export function parseHostRule(text: string): HostRule | undefined {
  const { host, port: portText } = splitPort(text);
  const port = portText === undefined ? undefined : Number(portText);
  if (port !== undefined && (port < 1 || port > 65_535)) return undefined;
  const range = parseRange(host);
  if (range !== undefined) return { kind: 'range', ...range, port };
  const isSuffix = host.startsWith('*.');
  const name = canonicalName(isSuffix ? host.slice(2) : host);
  return name === undefined ? undefined : { kind: 'name', name, isSuffix, port };
}

function splitPort(text: string): { host: string; port: string | undefined } {
  const bracketed = BRACKETED.exec(text);
  if (bracketed !== null) return { host: bracketed[1] ?? '', port: bracketed[2] };
  const withPort = text.indexOf(':') === text.lastIndexOf(':') ? PORT.exec(text) : null;
  return withPort === null ? { host: text, port: undefined } : { host: withPort[1] ?? '', port: withPort[2] };
}

/** Accepts only the canonical form of an address: parsers interpret `010.0.0.1` and `10.1` differently. */
function parseRange(text: string): Pick<RangeRule, 'network' | 'prefixBits'> | undefined {
  const [address = '', bits, ...rest] = text.split('/');
  if (isIP(address) === 0 || address.includes('%') || rest.length > 0) return undefined;
  const network = parseAddress(address);
  const bitsMax = network.kind() === 'ipv4' ? 32 : 128;
  if (bits === undefined) return { network: network.toByteArray(), prefixBits: bitsMax };
  const prefixBits = Number(bits);
  // An IPv4 network must be written in IPv4 notation, not within ::ffff:0:0/96.
  const isPlain = network.kind() === (isIP(address) === 4 ? 'ipv4' : 'ipv6');
  if (!/^\d{1,3}$/.test(bits) || prefixBits > bitsMax || !isPlain) return undefined;
  return isNetwork(network, prefixBits) ? { network: network.toByteArray(), prefixBits } : undefined;
}

/** Returns false for `10.1.2.3/8`, which is probably a mistake. */
function isNetwork(address: Address, prefixBits: number): boolean {
  const family = address.kind() === 'ipv4' ? ipaddr.IPv4 : ipaddr.IPv6;
  return family.networkAddressFromCIDR(`${address}/${prefixBits}`).toString() === address.toString();
}

/** Returns a host name in the form of a URL: lower case, international names in ASCII, without a trailing dot. */
function canonicalName(text: string): string | undefined {
  if (/[\s/\\?#@:%]/.test(text) || !URL.canParse(`http://${text}/`)) return undefined;
  const name = new URL(`http://${text}/`).hostname.replace(/\.$/, '');
  return NAME.test(name) && isIP(name) === 0 ? name : undefined;
}

export function matchesName(rule: NameRule, host: string): boolean {
  return rule.isSuffix ? host.endsWith(`.${rule.name}`) : host === rule.name;
}

export function containsAddress(rule: RangeRule, address: Address): boolean {
  const network = ipaddr.fromByteArray([...rule.network]);
  return network.kind() === address.kind() && address.match([network, rule.prefixBits]);
}
