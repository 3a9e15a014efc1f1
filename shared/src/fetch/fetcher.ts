import { checkedAddresses } from '@scriptorium/fetching/checked-addresses';
import type { Connections } from '@scriptorium/fetching/connections';
import type { DestinationPolicy } from '@scriptorium/fetching/destination-policy';
import { FetchError } from '@scriptorium/fetching/error';
import type {
  Opened,
  Opening,
  Post,
  RequestOptions,
  Sending,
  SentAnswer,
} from '@scriptorium/fetching/request';
import { type Resolve, resolveHost } from '@scriptorium/fetching/resolver';
import { type FetchTarget, parseTarget } from '@scriptorium/fetching/target';
import { type FetchConfig, policyOf } from './settings.ts';

const TOTAL_MS_MAX = 10_000;
const REDIRECTS_MAX = 3;

export interface FetchOptions {
  bytesMax: number;
  /** When it fires, `fetch` rejects with its reason. */
  signal: AbortSignal;
  /** Sends a POST, which must not be redirected. Without it, `fetch` sends a GET. */
  post?: Post;
  /** Is called with the length of each piece of the body as it arrives. */
  onBytes?: ((bytes: number) => void) | undefined;
}

/** Fetches URLs that callers provide. The project must not fetch them in any other way. */
export interface Fetcher {
  /** Returns the bytes of a URL, without a check of their type. Rejects with FetchError. */
  fetch(url: string, options: FetchOptions): Promise<Buffer>;
}

/** Sends to URLs that callers provide, and reads long ones, within the same bounds on destinations. It follows no redirect. */
export interface Sender {
  /** Rejects with FetchError unless `send` and `open` may go there now. */
  check(url: string, signal: AbortSignal): Promise<void>;
  /** Returns the answer, whatever its status is. Rejects with FetchError if there is none. It may use kept connections. */
  send(url: string, sending: Sending, connections?: Connections): Promise<SentAnswer>;
  /** Begins to read what is at a URL, whatever its status is. Rejects with FetchError. */
  open(url: string, opening: Opening): Promise<Opened>;
}

/** The sender of the same settings. `resolve` is for tests. */
export function createSender(config: FetchConfig, resolve: Resolve = (host) => resolveHost(host)): Sender {
  const policy = policyOf(config);
  const targetOf = (url: string): FetchTarget => {
    if (config.FETCH === 'off') throw new FetchError('off', 'FETCH is off');
    const target = parseTarget(url);
    if (typeof target === 'string') throw new FetchError('refused', target);
    return target;
  };
  const addressesOf = (target: FetchTarget, signal: AbortSignal) =>
    checkedAddresses(target, { policy, resolve, signal });
  return {
    async check(url, signal) {
      await addressesOf(targetOf(url), signal);
    },
    async send(url, sending, connections) {
      const target = targetOf(url);
      const { send } = await import('@scriptorium/fetching/request');
      return await send(target, () => addressesOf(target, sending.signal), sending, connections);
    },
    async open(url, opening) {
      const target = targetOf(url);
      const addresses = await addressesOf(target, opening.signal);
      const { open } = await import('@scriptorium/fetching/request');
      return await open(target, addresses, opening);
    },
  };
}

/** Throws ConfigError for contradictory rules. `resolve` is for tests. */
export function createFetcher(config: FetchConfig, resolve: Resolve = (host) => resolveHost(host)): Fetcher {
  const policy = policyOf(config);
  return {
    async fetch(url, { bytesMax, signal, post, onBytes }) {
      if (config.FETCH === 'off') throw new FetchError('off', 'FETCH is off');
      const timeout = AbortSignal.timeout(TOTAL_MS_MAX);
      const either = AbortSignal.any([signal, timeout]);
      try {
        return await follow(url, { policy, resolve, bytesMax, post, onBytes, signal: either });
      } catch (error) {
        signal.throwIfAborted();
        if (timeout.aborted) throw new FetchError('slow', error);
        throw error;
      }
    },
  };
}

interface FollowOptions extends RequestOptions {
  policy: DestinationPolicy;
  resolve: Resolve;
}

/** Follows redirects and checks each hop like the first. */
async function follow(url: string, options: FollowOptions): Promise<Buffer> {
  let from: FetchTarget | undefined;
  let next = url;
  for (let redirects = 0; redirects <= REDIRECTS_MAX; redirects++) {
    const target = parseTarget(next, from);
    if (typeof target === 'string') throw new FetchError('refused', target);
    if (from?.isSecure === true && !target.isSecure)
      throw new FetchError('redirects', `${from.host} redirects to http://${target.host}`);
    // Loaded with the first fetch: many processes fetch nothing, and its client is the largest library of most.
    const { request } = await import('@scriptorium/fetching/request');
    const answer = await request(target, await checkedAddresses(target, options), options);
    if ('body' in answer) return answer.body;
    from = target;
    next = answer.location;
  }
  throw new FetchError('redirects', `more than ${REDIRECTS_MAX} redirects`);
}
