import { isIP } from 'node:net';
import { type Address, parseAddress } from './address.ts';
import type { DestinationPolicy } from './destination-policy.ts';
import { FetchError } from './error.ts';
import type { Resolve } from './resolver.ts';
import type { FetchTarget } from './target.ts';

export interface Checking {
  policy: DestinationPolicy;
  resolve: Resolve;
  signal: AbortSignal;
}

/** Returns the permitted addresses. An unknown name and a rejected address cause the same error for the caller. */
export async function checkedAddresses(
  target: FetchTarget,
  { policy, resolve, signal }: Checking,
): Promise<Address[]> {
  const addresses =
    isIP(target.host) > 0 ? [parseAddress(target.host)] : await resolved(target.host, resolve, signal);
  const objection = policy({ host: target.host, port: target.port, addresses });
  if (objection !== undefined) throw new FetchError('refused', objection);
  return addresses;
}

async function resolved(host: string, resolve: Resolve, signal: AbortSignal): Promise<Address[]> {
  signal.throwIfAborted();
  const aborted = Promise.withResolvers<never>();
  const abort = (): void => aborted.reject(signal.reason);
  signal.addEventListener('abort', abort, { once: true });
  try {
    return (await Promise.race([resolve(host), aborted.promise])).map(parseAddress);
  } catch (error) {
    signal.throwIfAborted();
    throw new FetchError('refused', error);
  } finally {
    signal.removeEventListener('abort', abort);
  }
}
