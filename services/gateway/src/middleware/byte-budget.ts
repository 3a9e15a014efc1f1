import { AppError } from '@scriptorium/contracts/errors';
import type { Reply } from '../http/context.ts';

/** Bytes are charged in steps of this size. A request that has sent nothing holds at most one step. */
export const STEP_BYTES = 64 * 1024;

const RETRY_SECONDS = 1;
/** Share of the budget for all requests of one owner. A single request may exceed it. */
const OWNER_SHARE = 3 / 4;
/** Owners with several requests and more than this share make room for others when the budget is full. */
const YIELDING_SHARE = 1 / 4;

/** Limits the bytes of requests in the memory of one gateway. They are charged as they arrive. */
export interface ByteBudget {
  /**
   * Holds a deposit for bytes that will arrive: one step, or `bytesMax` if that is less. Everything is released at the end of the
   * answer. Without room for them, or if an older request needs it, `onRefused` gets OVERLOADED. It gets CONCURRENCY_LIMIT if the
   * owner of the key exceeds their share. It must drop the bytes. The deposit itself is refused by a throw.
   */
  open(response: Reply, bytesMax: number, onRefused: (error: AppError) => void): Holding;
  /** The bytes that are held now. */
  held(): number;
}

/** The bytes of one request that have arrived. */
export interface Holding {
  /** Charges bytes that have arrived. Returns false if they were refused, now or earlier. */
  add(bytes: number): boolean;
  /** Replaces the charge by what is held, whether or not there is room, and accepts no refusal from then on. */
  settle(bytes: number): void;
  /** Whether all requests together hold more than the budget. */
  isOver(): boolean;
}

interface Entry {
  response: Reply;
  owner: string;
  bytes: number;
  isArriving: boolean;
  refuse(error: AppError): void;
}

export function createByteBudget(bytesMax: number): ByteBudget {
  const ledger = new Ledger(bytesMax);
  return {
    held: () => ledger.bytes,
    open(response, expected, onRefused) {
      if (response.closed) throw new AppError('DEADLINE_EXCEEDED', 'The caller disconnected.');
      let arrived = 0;
      let refusal: AppError | undefined;
      const entry: Entry = {
        response,
        owner: ownerNameOf(response),
        bytes: 0,
        isArriving: true,
        refuse(error) {
          refusal = error;
          ledger.close(entry);
        },
      };
      ledger.open(entry);
      if (!ledger.charge(entry, Math.min(STEP_BYTES, expected))) throw refusal;
      entry.refuse = (error) => {
        ledger.close(entry);
        onRefused(error);
      };
      response.on('close', () => ledger.close(entry));
      return {
        add(bytes) {
          arrived += bytes;
          if (!ledger.has(entry)) return false;
          const missing = Math.ceil((arrived - entry.bytes) / STEP_BYTES) * STEP_BYTES;
          return missing <= 0 || ledger.charge(entry, missing);
        },
        settle(bytes) {
          entry.isArriving = false;
          if (ledger.has(entry)) ledger.change(entry, bytes - entry.bytes);
        },
        isOver: () => ledger.bytes > bytesMax,
      };
    },
  };
}

/** What all requests hold, in the order of their arrival. */
class Ledger {
  readonly #bytesMax: number;
  readonly #entries = new Set<Entry>();
  readonly #byOwner = new Map<string, number>();
  bytes = 0;

  constructor(bytesMax: number) {
    this.#bytesMax = bytesMax;
  }

  has(entry: Entry): boolean {
    return this.#entries.has(entry);
  }

  open(entry: Entry): void {
    this.#entries.add(entry);
  }

  close(entry: Entry): void {
    this.change(entry, -entry.bytes);
    this.#entries.delete(entry);
  }

  change(entry: Entry, bytes: number): void {
    entry.bytes += bytes;
    this.bytes += bytes;
    const own = this.#of(entry.owner) + bytes;
    if (own === 0) this.#byOwner.delete(entry.owner);
    else this.#byOwner.set(entry.owner, own);
  }

  /** Makes room for bytes, by refusing younger requests if necessary. Returns false if `entry` itself was refused. */
  charge(entry: Entry, bytes: number): boolean {
    while (this.has(entry)) {
      const isShareTaken = this.#isShareTaken(entry, bytes);
      if (!isShareTaken && this.bytes + bytes <= this.#bytesMax) {
        this.change(entry, bytes);
        return true;
      }
      if (isShareTaken)
        this.#youngest(({ owner }) => owner === entry.owner)?.refuse(
          refusal('CONCURRENCY_LIMIT', SHARE_TAKEN),
        );
      else this.#victim(this.#of(entry.owner) + bytes)?.refuse(refusal('OVERLOADED', FULL));
    }
    return false;
  }

  /**
   * The request that must go when the budget is full. It is the youngest of the owner who holds most, if that is much, or else
   * the youngest of all. The oldest body always arrives completely, so bodies cannot block each other.
   */
  #victim(own: number): Entry | undefined {
    const [owner, most] = [...this.#byOwner].reduce((a, b) => (b[1] > a[1] ? b : a), ['', 0]);
    const theirs = [...this.#entries].filter((entry) => entry.owner === owner);
    const mustYield = most > own && most > this.#bytesMax * YIELDING_SHARE;
    const isSpare = (entry: Entry) => entry.owner === owner && entry.response !== theirs[0]?.response;
    return (mustYield ? this.#youngest(isSpare) : undefined) ?? this.#youngest(() => true);
  }

  #youngest(isMeant: (entry: Entry) => boolean): Entry | undefined {
    return [...this.#entries].findLast((entry) => entry.isArriving && isMeant(entry));
  }

  #isShareTaken({ owner, response }: Entry, bytes: number): boolean {
    const own = this.#of(owner) + bytes;
    if (own <= this.#bytesMax * OWNER_SHARE) return false;
    return [...this.#entries].some((other) => other.owner === owner && other.response !== response);
  }

  #of(owner: string): number {
    return this.#byOwner.get(owner) ?? 0;
  }
}

/** All requests without a key share one owner: few of their routes take a body, and the bodies are small. */
const ownerNameOf = ({ locals }: Reply): string => locals.owner?.ownerHash.toString('base64') ?? '';

const FULL = 'The gateway has reached its memory limit for documents.';
const SHARE_TAKEN = 'Your requests in flight have reached the memory limit for one owner.';

function refusal(code: 'OVERLOADED' | 'CONCURRENCY_LIMIT', message: string): AppError {
  return new AppError(code, message, { retryAfterSeconds: RETRY_SECONDS });
}
