import { lookup, Resolver } from 'node:dns/promises';

/** Returns all addresses of a host name. Rejects if there are none. */
export type Resolve = (host: string) => Promise<string[]>;

const DNS_TRY_MS = 1500;
const DNS_TRIES = 2;

/**
 * Queries the name servers of this machine, or those of `servers` (`address:port`). Names with a dot are not resolved with
 * `dns.lookup`. It would block one of Node's two lookup threads while a name server of a caller does not respond. A name without
 * a dot (`minio`, `localhost`) comes from the operator; it may be in the hosts file or under a search domain.
 */
export async function resolveHost(host: string, servers?: string[]): Promise<string[]> {
  if (!host.includes('.')) return (await lookup(host, { all: true })).map(({ address }) => address);
  const resolver = new Resolver({ timeout: DNS_TRY_MS, tries: DNS_TRIES });
  if (servers !== undefined) resolver.setServers(servers);
  const [ipv4, ipv6] = await Promise.allSettled([resolver.resolve4(host), resolver.resolve6(host)]);
  if (ipv4.status === 'rejected' && ipv6.status === 'rejected') throw ipv4.reason;
  return [ipv4, ipv6].flatMap((answer) => (answer.status === 'fulfilled' ? answer.value : []));
}
