import type { LookupFunction } from 'node:net';
import { buildConnector, Client } from 'undici';
import type { Address } from './address.ts';
import type { FetchTarget } from './target.ts';

const CONNECT_MS_MAX = 3_000;
export const IDLE_MS_MAX = 5_000;
const HEADER_BYTES_MAX = 16_384;

export interface Bounds {
  bytesMax: number;
  answerMsMax: number;
  /** Between two pieces of the answer. */
  bodyMsMax?: number;
  /** Whether the connection is kept for further messages. */
  isKept?: boolean;
}

/** Opens a client that connects only to these addresses. */
export function openClient(
  target: FetchTarget,
  addresses: Address[],
  { bytesMax, answerMsMax, bodyMsMax = IDLE_MS_MAX, isKept = false }: Bounds,
): Client {
  return new Client(target.origin, {
    // A separate dispatcher ignores the proxy settings of the environment.
    connect: buildConnector({
      lookup: pinned(addresses),
      timeout: CONNECT_MS_MAX,
      allowH2: false,
      maxCachedSessions: 0,
    }),
    // With 0, a connection has one message.
    pipelining: isKept ? 1 : 0,
    headersTimeout: answerMsMax,
    bodyTimeout: bodyMsMax,
    maxHeaderSize: HEADER_BYTES_MAX,
    maxResponseSize: bytesMax,
  });
}

/** Resolves every name to the checked addresses. Node does not call it for address literals. */
function pinned(addresses: Address[]): LookupFunction {
  const answers = addresses.map((address) => ({
    address: address.toString(),
    family: address.kind() === 'ipv4' ? 4 : 6,
  }));
  return (_host, options, callback) => {
    const [first] = answers;
    if (options.all === true) callback(null, answers);
    else callback(null, first?.address ?? '', first?.family);
  };
}
