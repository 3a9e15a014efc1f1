import type { Redis } from 'ioredis';
import { type WorkerNotice, workerNotice, workersOf } from './reply.ts';

/** The workers of one queue with a current notice. */
export interface WorkerCensus {
  workers: number;
  /** Jobs that all workers can run at a time. */
  capacity: number;
  /** Mean run time of a job, milliseconds. 0 until a job has run. */
  runMsMean: number;
  /** The weakest sandbox of all workers. `unknown` if there are none or one does not report it. */
  sandbox: SandboxCensus;
  /** Whether all of them find near blobs. */
  near: boolean;
}

export type SandboxCensus = 'enforced' | 'degraded' | 'unknown';

export async function countWorkers(redis: Redis, queue: string): Promise<WorkerCensus> {
  const notices = await redis.hgetall(workersOf(queue));
  const census: WorkerCensus = { workers: 0, capacity: 0, runMsMean: 0, sandbox: 'unknown', near: true };
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
    census.near &&= notice.near === true;
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
