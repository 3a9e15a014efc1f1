import ipaddr from 'ipaddr.js';

export type Address = ipaddr.IPv4 | ipaddr.IPv6;

/** The part of IPv6 that is allocated for the public Internet (RFC 4291 §2.4 and the IANA registry). */
const GLOBAL_UNICAST: [ipaddr.IPv6, number] = [ipaddr.IPv6.parse('2000::'), 3];

/** A public address that reaches the cloud of the machine: the Azure WireServer, which returns credentials. */
const CLOUD_SERVICES = new Set(['168.63.129.16']);

/** Parses an IP address. An IPv4-mapped IPv6 address (`::ffff:a.b.c.d`) becomes an IPv4 address. */
export function parseAddress(text: string): Address {
  return ipaddr.process(text);
}

/**
 * Returns whether an address is on the public Internet. All special-purpose ranges of IANA are excluded: private, loopback,
 * link-local (cloud metadata), shared, documentation, benchmarking, multicast and reserved. So are those that embed an IPv4
 * address (6to4, Teredo, NAT64), since a gateway in our network could extract it.
 *
 * @example
 * isPublic(parseAddress('9.9.9.9')) // true
 * isPublic(parseAddress('169.254.169.254')) // false
 */
export function isPublic(address: Address): boolean {
  if (address.range() !== 'unicast') return false;
  if (address.kind() === 'ipv6') return address.match(GLOBAL_UNICAST);
  return !CLOUD_SERVICES.has(address.toString());
}
