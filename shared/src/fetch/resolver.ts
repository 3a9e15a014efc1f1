import { lookup, Resolver } from 'node:dns/promises';

/** Gives every address of a host name, as text; rejects where there is none. */
export type Resolve = (host: string) => Promise<string[]>;

const DNS_TRY_MS = 1500;
const DNS_TRIES = 2;

/**
 * Asks the name servers of this machine, or those of `servers` (`address:port`). A name with a dot is asked over a socket
 * of our own, never by `dns.lookup`: that holds one of the two threads which Node has for all lookups of the process for as
 * long as a caller's name server stays silent. A name without a dot (`minio`, `localhost`) is no caller's; it may be in
 * the hosts file or under a search domain.
 */
export async function resolveHost(host: string, servers?: string[]): Promise<string[]> {
  if (!host.includes('.')) return (await lookup(host, { all: true })).map(({ address }) => address);
  const resolver = new Resolver({ timeout: DNS_TRY_MS, tries: DNS_TRIES });
  if (servers !== undefined) resolver.setServers(servers);
  const [ipv4, ipv6] = await Promise.allSettled([resolver.resolve4(host), resolver.resolve6(host)]);
  if (ipv4.status === 'rejected' && ipv6.status === 'rejected') throw ipv4.reason;
  return [ipv4, ipv6].flatMap((answer) => (answer.status === 'fulfilled' ? answer.value : []));
}
