import ipaddr from 'ipaddr.js';

export type Address = ipaddr.IPv4 | ipaddr.IPv6;

/** The part of IPv6 that is given out for use on the public Internet, RFC 4291 §2.4 and IANA's registry. */
const GLOBAL_UNICAST: [ipaddr.IPv6, number] = [ipaddr.IPv6.parse('2000::'), 3];

/** Public by its number, but a way into the machine's own cloud: Azure's WireServer, which gives out credentials. */
const CLOUD_SERVICES = new Set(['168.63.129.16']);

/** An IP address in its plain form; an IPv4 address that is wrapped as `::ffff:a.b.c.d` is unwrapped. */
export function parseAddress(text: string): Address {
  return ipaddr.process(text);
}

/**
 * Whether an address is one of the public Internet. Whatever IANA keeps for a special purpose is not: private, loopback,
 * link-local (metadata of clouds), shared, documentation, benchmarking, multicast, reserved, and those that wrap an IPv4
 * address (6to4, Teredo, NAT64), which a gateway near us would unwrap.
 */
export function isPublic(address: Address): boolean {
  if (address.range() !== 'unicast') return false;
  if (address.kind() === 'ipv6') return address.match(GLOBAL_UNICAST);
  return !CLOUD_SERVICES.has(address.toString());
}
