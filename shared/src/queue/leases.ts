import type { Redis } from 'ioredis';
import type { JobEnvelope } from './envelope.ts';
import { gatewayLease, LEASE_RENEWAL_MS } from './reply.ts';

/** How long a lapsed lease is cached. */
const DOUBT_MS = 30_000;
/** How long a sign of life is trusted. It is short beside the 10 s of a lease. */
const TRUST_MS = 2_000;

/** Watches the leases of the gateways that wait for the jobs of a worker. */
export interface Leases {
  /**
   * Returns null for a job whose gateway is alive. Waits for a renewal if the lease has lapsed. A gateway that added the job
   * just before, at `addedAt`, is alive.
   */
  reasonToDrop(envelope: JobEnvelope, addedAt: number): Promise<'gateway gone' | null>;
  /** Cancels the job if its gateway stops while the job runs. */
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
    // While Redis is down, the commands would only queue up.
    if (redis.status !== 'ready') return;
    for (const gatewayId of new Set([...running].map(({ replyTo }) => replyTo)))
      cancelOrphans(gatewayId).catch(onError);
  }, LEASE_RENEWAL_MS);

  return {
    async reasonToDrop({ replyTo }, addedAt) {
      const isFresh = Math.abs(Date.now() - addedAt) < TRUST_MS;
      return !isFresh && (await isGone(replyTo)) ? 'gateway gone' : null;
    },
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

/** Returns a function that reports whether the lease of a gateway has lapsed. It waits only once per gateway. */
function judgeGateways(redis: Redis): (gatewayId: string) => Promise<boolean> {
  const doubted = new Map<string, Promise<boolean>>();
  const trusted = new Set<string>();
  const hasLease = async (gatewayId: string): Promise<boolean> => {
    if (trusted.has(gatewayId)) return true;
    if ((await redis.exists(gatewayLease(gatewayId))) === 0) return false;
    trusted.add(gatewayId);
    setTimeout(() => trusted.delete(gatewayId), TRUST_MS).unref();
    return true;
  };

  // A lease can lapse while Redis hangs. Then its owner renews it as soon as Redis responds.
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
