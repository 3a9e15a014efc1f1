import { AppError } from '@scriptorium/shared/errors';
import type { Reply } from '../context.ts';

const RETRY_SECONDS = 1;
/** Share of the budget for all requests of one owner. A single request may exceed it. */
const OWNER_SHARE = 3 / 4;

/** Limits the bytes of requests in the memory of one gateway. */
export interface ByteBudget {
  /**
   * Reserves `bytes` until the end of the answer, before they are received. Throws OVERLOADED when the budget is
   * exhausted, and CONCURRENCY_LIMIT when the owner of the key exceeds their share. The returned function reduces the
   * reservation once the true size is known.
   */
  hold(response: Reply, bytes: number): (bytes: number) => void;
  /** The bytes that are reserved now. */
  held(): number;
}

export function createByteBudget(bytesMax: number): ByteBudget {
  let inFlight = 0;
  const byOwner = new Map<string, Map<Reply, number>>();
  const take = (response: Reply, bytes: number): void => {
    inFlight += bytes;
    const owner = ownerNameOf(response);
    const requests = byOwner.get(owner) ?? new Map<Reply, number>();
    byOwner.set(owner, requests.set(response, (requests.get(response) ?? 0) + bytes));
    if (requests.get(response) === 0) requests.delete(response);
    if (requests.size === 0) byOwner.delete(owner);
  };
  const isShareTaken = (response: Reply, bytes: number): boolean => {
    const requests = byOwner.get(ownerNameOf(response)) ?? new Map<Reply, number>();
    const isAlone = requests.size === Number(requests.has(response));
    const own = [...requests.values()].reduce((sum, held) => sum + held, bytes);
    return !isAlone && bytes > 0 && own > bytesMax * OWNER_SHARE;
  };
  return {
    held: () => inFlight,
    hold(response, bytes) {
      if (response.closed) throw new AppError('DEADLINE_EXCEEDED', 'The caller disconnected.');
      if (inFlight + bytes > bytesMax) throw refusal('OVERLOADED', FULL);
      if (isShareTaken(response, bytes)) throw refusal('CONCURRENCY_LIMIT', SHARE_TAKEN);
      let held = bytes;
      take(response, held);
      const keep = (rest: number): void => {
        const released = held - Math.min(held, rest);
        held -= released;
        take(response, -released);
      };
      response.on('close', () => keep(0));
      return keep;
    },
  };
}

/** All requests without a key share one owner: few of their routes take a body, and the bodies are small. */
const ownerNameOf = ({ locals }: Reply): string => locals.owner?.ownerHash.toString('base64') ?? '';

const FULL = 'The gateway has reached its memory limit for documents.';
const SHARE_TAKEN = 'Your requests in flight have reached the memory limit for one owner.';

function refusal(code: 'OVERLOADED' | 'CONCURRENCY_LIMIT', message: string): AppError {
  return new AppError(code, message, { retryAfterSeconds: RETRY_SECONDS });
}
