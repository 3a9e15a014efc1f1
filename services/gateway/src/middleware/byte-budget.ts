import { AppError } from '@scriptorium/shared/errors';
import type { Reply } from '../context.ts';

const RETRY_SECONDS = 1;
/** Of the budget: what all requests of one owner may hold, one alone excepted. Bytes are held before they are sent. */
const OWNER_SHARE = 3 / 4;

/** The bytes of requests that one gateway holds at a time, whatever they came as. */
export interface ByteBudget {
  /**
   * Takes `bytes` out of the budget until the answer is out. Throws OVERLOADED when so many are not left, and
   * CONCURRENCY_LIMIT when the owner of the key would leave too few to others. What it returns gives back all but
   * `bytes`, once the true size is known.
   */
  hold(response: Reply, bytes: number): (bytes: number) => void;
  /** Bytes that are held now. */
  held(): number;
}

export function createByteBudget(bytesMax: number): ByteBudget {
  let inFlight = 0;
  const byOwner = new Map<string, Map<Reply, number>>();
  const take = (response: Reply, bytes: number): void => {
    inFlight += bytes;
    const owner = nameOf(response);
    const requests = byOwner.get(owner) ?? new Map<Reply, number>();
    byOwner.set(owner, requests.set(response, (requests.get(response) ?? 0) + bytes));
    if (requests.get(response) === 0) requests.delete(response);
    if (requests.size === 0) byOwner.delete(owner);
  };
  const isShareTaken = (response: Reply, bytes: number): boolean => {
    const requests = byOwner.get(nameOf(response)) ?? new Map<Reply, number>();
    const isAlone = requests.size === Number(requests.has(response));
    const own = [...requests.values()].reduce((sum, held) => sum + held, bytes);
    return !isAlone && bytes > 0 && own > bytesMax * OWNER_SHARE;
  };
  return {
    held: () => inFlight,
    hold(response, bytes) {
      if (response.closed) throw new AppError('DEADLINE_EXCEEDED', 'The caller left.');
      if (inFlight + bytes > bytesMax) throw refusal('OVERLOADED', FULL);
      if (isShareTaken(response, bytes)) throw refusal('CONCURRENCY_LIMIT', SHARE_TAKEN);
      let held = bytes;
      take(response, held);
      const keep = (rest: number): void => {
        const given = held - Math.min(held, rest);
        held -= given;
        take(response, -given);
      };
      response.on('close', () => keep(0));
      return keep;
    },
  };
}

/** Requests without a key are one owner's: of those, few take a body, and a small one. */
const nameOf = ({ locals }: Reply): string => locals.owner?.ownerHash.toString('base64') ?? '';

const FULL = 'This gateway holds as many bytes of documents as it may.';
const SHARE_TAKEN = 'Your requests in flight hold as many bytes of this gateway as those of one owner may.';

function refusal(code: 'OVERLOADED' | 'CONCURRENCY_LIMIT', message: string): AppError {
  return new AppError(code, message, { retryAfterSeconds: RETRY_SECONDS });
}
