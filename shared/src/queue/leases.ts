import type { Redis } from 'ioredis';
import type { JobEnvelope } from './define-job.ts';
import { gatewayLease, LEASE_RENEWAL_MS } from './reply.ts';

/** How long a gateway is taken for gone once its lease did not come back. */
const DOUBT_MS = 30_000;

/** Knows of a worker's jobs whether somebody still waits for their answers. */
export interface Leases {
  /** Null for a job whose gateway lives. Takes a while where that is in doubt. */
  reasonToDrop(envelope: JobEnvelope): Promise<'gateway gone' | null>;
  /** Cancels the job if its gateway goes while it runs. */
  during<T>(envelope: JobEnvelope, run: Promise<T>): Promise<T>;
  stop(): void;
}

/** `cancel` is called for each running job of a gateway that was killed. */
export function watchLeases(
  redis: Redis,
  cancel: (requestId: string) => void,
  onError: (error: unknown) => void,
): Leases {
  const isGone = judgeGateways(redis);
  const running = new Set<JobEnvelope>();

  const cancelOrphans = async (gatewayId: string): Promise<void> => {
    if (!(await isGone(gatewayId))) return;
    for (const { replyTo, requestId } of running) if (replyTo === gatewayId) cancel(requestId);
  };
  const timer = setInterval(() => {
    // Of a Redis that is away nothing is learned, and the commands would queue up.
    if (redis.status !== 'ready') return;
    for (const gatewayId of new Set([...running].map(({ replyTo }) => replyTo)))
      cancelOrphans(gatewayId).catch(onError);
  }, LEASE_RENEWAL_MS);

  return {
    reasonToDrop: async ({ replyTo }) => ((await isGone(replyTo)) ? 'gateway gone' : null),
    async during(envelope, run) {
      running.add(envelope);
      try {
        return await run;
      } finally {
        running.delete(envelope);
      }
    },
    stop: () => clearInterval(timer),
  };
}

/** Tells whether a gateway has let its lease lapse. The wait to be sure is taken once for each gateway. */
function judgeGateways(redis: Redis): (gatewayId: string) => Promise<boolean> {
  const doubted = new Map<string, Promise<boolean>>();
  const hasLease = async (gatewayId: string) => (await redis.exists(gatewayLease(gatewayId))) === 1;

  // A lease can lapse while Redis itself stood still: its owner renews it at once when Redis moves again.
  const hasLeaseSoon = async (gatewayId: string): Promise<boolean> => {
    await new Promise((resolve) => setTimeout(resolve, LEASE_RENEWAL_MS * 1.5));
    return await hasLease(gatewayId);
  };

  return async (gatewayId) => {
    if (await hasLease(gatewayId)) return false;
    let doubt = doubted.get(gatewayId);
    if (doubt === undefined) {
      doubt = hasLeaseSoon(gatewayId);
      doubted.set(gatewayId, doubt);
      setTimeout(() => doubted.delete(gatewayId), DOUBT_MS).unref();
    }
    return !(await doubt);
  };
}
