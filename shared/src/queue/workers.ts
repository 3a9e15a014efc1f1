import type { Redis } from 'ioredis';
import { type WorkerNotice, workerNotice, workersOf } from './reply.ts';

/** The workers of one queue that have announced themselves within their lease. */
export interface WorkerCensus {
  workers: number;
  /** Jobs they can run at a time, together. */
  capacity: number;
  /** Mean run of a job, milliseconds; 0 until one has run. */
  runMsMean: number;
  /** The weakest of theirs; `unknown` where there is no worker, or one that does not tell. */
  sandbox: SandboxCensus;
}

export type SandboxCensus = 'enforced' | 'degraded' | 'unknown';

export async function countWorkers(redis: Redis, queue: string): Promise<WorkerCensus> {
  const notices = await redis.hgetall(workersOf(queue));
  const census: WorkerCensus = { workers: 0, capacity: 0, runMsMean: 0, sandbox: 'unknown' };
  const now = Date.now();
  const expired: string[] = [];
  const sandboxes: WorkerNotice['sandbox'][] = [];
  for (const [id, text] of Object.entries(notices)) {
    const notice = workerNotice.safeParse(JSON.parse(text)).data;
    if (notice === undefined) continue;
    if (notice.expiresAt < now) {
      expired.push(id);
      continue;
    }
    census.workers += 1;
    sandboxes.push(notice.sandbox);
    census.capacity += notice.capacity;
    census.runMsMean = Math.max(census.runMsMean, notice.runMsMean);
  }
  if (expired.length > 0) await redis.hdel(workersOf(queue), ...expired);
  return { ...census, sandbox: weakest(sandboxes) };
}

function weakest(sandboxes: WorkerNotice['sandbox'][]): SandboxCensus {
  if (sandboxes.includes('degraded')) return 'degraded';
  return sandboxes.length === 0 || sandboxes.includes(undefined) ? 'unknown' : 'enforced';
}
