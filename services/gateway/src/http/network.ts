import { isIPv4, isIPv6 } from 'node:net';

/**
 * Returns the network of a client: an IPv4 address, or the /64 network of an IPv6 address, since one subscriber has a whole
 * /64. A text that is not an address, which a proxy may send, becomes `unknown`.
 */
export function networkOf(address: string): string {
  const plain = address.replace(/^::ffff:/i, '').replace(/^(\d+\.\d+\.\d+\.\d+):\d+$/, '$1');
  if (isIPv4(plain)) return plain;
  const bare = plain.replace(/^\[(.*)\](?::\d+)?$/, '$1').replace(/%.*$/, '');
  if (!isIPv6(bare)) return 'unknown';
  const [head = '', tail] = bare.split('::');
  const left = head === '' ? [] : head.split(':');
  const right = tail === undefined || tail === '' ? [] : tail.split(':');
  const zeros = tail === undefined ? 0 : Math.max(0, 8 - left.length - right.length);
  const groups = [...left, ...Array<string>(zeros).fill('0'), ...right];
  const network = groups.slice(0, 4).map((group) => Number.parseInt(group, 16).toString(16));
  return `${network.join(':')}::/64`;
}

/** The same with the /48 of an IPv6 address, which one site has, so that it counts once. */
export const wideNetworkOf = (address: string): string =>
  networkOf(address).replace(/^((?:[^:]+:){3})[^:]+::\/64$/, '$1:/48');
