import { unavailable } from '@scriptorium/contracts/errors';
import { free } from '@scriptorium/sealing/idle-memory';
import type { Redis } from 'ioredis';
import { collectResults, type Results } from '../blob/exchange.ts';
import { blobName } from '../blob/redis.ts';
import { type BlobStore, isNear, type NewBlob } from '../blob/store.ts';
import { putInSpan } from '../tracing/traced-blobs.ts';
import type { JobEnvelope } from './envelope.ts';
import type { JobEvents } from './job-handler.ts';
import { engineTimeOf, type Reply, replyList } from './reply.ts';
import { runScript, type Script } from './script.ts';
import type { WorkerSealing } from './sealing.ts';

const REPLY_TTL_MS = 60_000;
const PAUSE_MS_MIN = 100;
const PAUSE_MS_MAX = 1_000;
/** How long a result waits for room in a full store. Then the caller gets an error instead. */
const ROOM_MS_MAX = 2_000;

const BUDGET_WINDOW_MS = 60_000;
/** The owner of jobs whose envelope has none. */
const NO_OWNER = '-';

/** Lua that counts `spent` under a key, which expires a minute after the first use. */
function chargeIn(key: string): string {
  return `if spent > 0 and redis.call('INCRBY', ${key}, spent) == spent then
  redis.call('PEXPIRE', ${key}, ${BUDGET_WINDOW_MS})
end`;
}

/**
 * Removes near inputs, stores near results, and pushes the reply. The inputs are removed first, which makes room in a full
 * Redis; without near inputs, a full Redis refuses the script. If a command fails, the reply is not pushed.
 * KEYS: reply list, engine time of the owner, results…, inputs…. ARGV: reply, its time to live ms, number of results, engine time ms,
 * then for each result its time to live ms and its bytes.
 */
const ANSWER: Script = {
  name: 'scriptoriumAnswer',
  lua: `
local results = tonumber(ARGV[3])
for i = results + 3, #KEYS do redis.call('UNLINK', KEYS[i]) end
for i = 1, results do
  redis.call('RPUSH', KEYS[i + 2], ARGV[2 * i + 4])
  redis.call('PEXPIRE', KEYS[i + 2], ARGV[2 * i + 3])
end
redis.call('RPUSH', KEYS[1], ARGV[1])
redis.call('PEXPIRE', KEYS[1], ARGV[2])
local spent = tonumber(ARGV[4])
${chargeIn('KEYS[2]')}
`,
};

/** KEYS: engine time of the owner. ARGV: engine time ms. */
const CHARGE: Script = {
  name: 'scriptoriumCharge',
  lua: `local spent = tonumber(ARGV[1])\n${chargeIn('KEYS[1]')}`,
};

/** Counts engine time for a job that ends without a reply. */
export async function charge(redis: Redis, owner = NO_OWNER, spentMs: number): Promise<void> {
  if (spentMs > 0) await runScript(redis, CHARGE, [engineTimeOf(owner)], [spentMs]);
}

export interface AnsweringParts {
  /** The Redis of the queue. */
  redis: Redis;
  blobs: Pick<BlobStore, 'put' | 'remove'>;
  events: Pick<JobEvents, 'queueError'>;
  sealing: WorkerSealing;
}

/** Sends the replies of a worker. */
export interface Answering {
  /** Sends the reply and removes the inputs. Retries until Redis accepts it or the request ends. */
  send(envelope: JobEnvelope, reply: Reply): Promise<void>;
  /** Stores the results and sends the reply. Throws UNAVAILABLE without room for the results. */
  sendWith(kept: NewBlob[], envelope: JobEnvelope, reply: Reply): Promise<void>;
  /** Stores the results for the next step. `inputs` are the blobs that are no longer needed. */
  store(kept: NewBlob[], envelope: JobEnvelope, inputs: string[]): Promise<void>;
}

export function openAnswering(parts: AnsweringParts): Answering {
  const { redis, blobs, events, sealing } = parts;

  const push = async (envelope: JobEnvelope, reply: Reply, kept: NewBlob[]): Promise<void> => {
    const near = envelope.blobs.filter(isNear);
    await runScript(
      redis,
      ANSWER,
      [
        replyList(envelope.replyTo),
        engineTimeOf(envelope.owner ?? NO_OWNER),
        ...[...kept.map(({ key }) => key), ...near].map(blobName),
      ],
      [
        sealing.reply(reply),
        REPLY_TTL_MS,
        kept.length,
        reply.spentMs ?? 0,
        ...kept.flatMap(({ ttlMs, bytes }) => [ttlMs, bytes]),
      ],
    );
    // A failed removal must not cause a second reply.
    await blobs.remove(envelope.blobs.filter((key) => !isNear(key))).catch(events.queueError);
  };
  const send = (envelope: JobEnvelope, reply: Reply): Promise<void> =>
    untilTaken(parts, envelope.blobs, envelope.deadlineAt, () => push(envelope, reply, []), 'queue');

  const store: Answering['store'] = async (kept, { deadlineAt }, inputs) => {
    const until = Math.min(deadlineAt, Date.now() + ROOM_MS_MAX);
    for (const { key, bytes, ttlMs } of kept) {
      await untilTaken(parts, inputs, until, () => blobs.put(key, bytes, ttlMs), 'document store');
      free(bytes);
    }
  };

  return {
    send,
    store,
    async sendWith(kept, envelope, reply) {
      if (kept.every(({ key }) => isNear(key))) {
        const size = kept.reduce((sum, { bytes }) => sum + bytes.length, 0);
        const pushing = () => push(envelope, reply, kept);
        const isSent = await (kept.length === 0 ? pushing() : putInSpan(size, pushing)).then(
          () => true,
          (error) => events.queueError(error),
        );
        if (isSent) return kept.forEach(({ bytes }) => void free(bytes));
      }
      await store(kept, envelope, envelope.blobs);
      await send(envelope, reply);
    },
  };
}

/**
 * Retries until Redis accepts the command or the time is over: a full Redis may have room later. The blobs in `spare` are
 * no longer needed and are removed first.
 */
export async function untilTaken(
  { blobs, events }: Pick<AnsweringParts, 'blobs' | 'events'>,
  spare: string[],
  endsAt: number,
  give: () => Promise<void>,
  server: 'queue' | 'document store',
  signal?: AbortSignal,
): Promise<void> {
  for (let pauseMs = PAUSE_MS_MIN; ; pauseMs = Math.min(2 * pauseMs, PAUSE_MS_MAX)) {
    try {
      return await give();
    } catch (error) {
      signal?.throwIfAborted();
      // Removing the document makes room in a full Redis.
      await blobs.remove(spare).catch(events.queueError);
      if (Date.now() + pauseMs >= endsAt) return unavailable(server)(error);
      events.queueError(error);
      await new Promise((resolve) => setTimeout(resolve, pauseMs));
    }
  }
}

/** Collects the results of a run and reports their sizes. */
export function collectFor({ requestId, deadlineAt }: JobEnvelope, made: JobEvents['made']): Results {
  const results = collectResults(requestId, deadlineAt);
  return {
    ...results,
    keep(bytes) {
      made?.(bytes.length);
      return results.keep(bytes);
    },
  };
}
