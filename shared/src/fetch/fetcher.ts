import { isIP } from 'node:net';
import { type Address, parseAddress } from './address.ts';
import { type DestinationPolicy, destinationPolicy } from './destination-policy.ts';
import { FetchError } from './fetch-error.ts';
import { type Post, request } from './request.ts';
import { type Resolve, resolveHost } from './resolver.ts';
import type { FetchConfig } from './settings.ts';
import { parseTarget, type Target } from './target.ts';

const TOTAL_MS_MAX = 10_000;
const REDIRECTS_MAX = 3;

export interface FetchOptions {
  bytesMax: number;
  /** The caller's; its reason is what `fetch` rejects with when it fires. */
  signal: AbortSignal;
  /** Sent by POST, to this one URL: what redirects a POST is refused as any other status. Without it, a GET. */
  post?: Post;
}

/** Fetches URLs that callers name. There is no other way to do so in this project. */
export interface Fetcher {
  /** The bytes that a URL holds; what they are is theirs to show. Rejects with FetchError. */
  fetch(url: string, options: FetchOptions): Promise<Buffer>;
}

/** Throws ConfigError where the rules contradict each other. `resolve` is for tests. */
export function createFetcher(config: FetchConfig, resolve: Resolve = (host) => resolveHost(host)): Fetcher {
  const policy = destinationPolicy(config);
  return {
    async fetch(url, { bytesMax, signal, post }) {
      if (config.FETCH === 'off') throw new FetchError('off', 'FETCH is off');
      const timeout = AbortSignal.timeout(TOTAL_MS_MAX);
      const either = AbortSignal.any([signal, timeout]);
      try {
        return await follow(url, { policy, resolve, bytesMax, post, signal: either });
      } catch (error) {
        signal.throwIfAborted();
        if (timeout.aborted) throw new FetchError('slow', error);
        throw error;
      }
    },
  };
}

interface Errand extends Omit<FetchOptions, 'post'> {
  post: Post | undefined;
  policy: DestinationPolicy;
  resolve: Resolve;
}

/** Each hop is checked as if it were the first. */
async function follow(url: string, errand: Errand): Promise<Buffer> {
  let from: Target | undefined;
  let next = url;
  for (let redirects = 0; redirects <= REDIRECTS_MAX; redirects++) {
    const target = parseTarget(next, from);
    if (typeof target === 'string') throw new FetchError('refused', target);
    if (from?.isSecure === true && !target.isSecure)
      throw new FetchError('redirects', `${from.host} redirects to http://${target.host}`);
    const answer = await request(target, await checkedAddresses(target, errand), errand);
    if ('body' in answer) return answer.body;
    from = target;
    next = answer.location;
  }
  throw new FetchError('redirects', `more than ${REDIRECTS_MAX} redirects`);
}

/** The addresses that may be dialled. A name without any looks to the caller like one whose addresses are refused. */
async function checkedAddresses(target: Target, { policy, resolve, signal }: Errand): Promise<Address[]> {
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
