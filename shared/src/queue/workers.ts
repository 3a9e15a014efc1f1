import type { DocumentLoader } from '@scriptorium/contracts/jobs/conversion-report';
import type { Redis } from 'ioredis';
import { type WorkerNotice, workerNotice, workersOf } from './reply.ts';

/** The workers of one queue with a current notice. */
export interface WorkerCensus {
  /** Those that take jobs. */
  workers: number;
  /** Jobs that all workers can run at a time. */
  capacity: number;
  /** Those that take none, and have not for a while. */
  away: number;
  /** Mean run time of a job, milliseconds. 0 until a job has run. */
  runMsMean: number;
  /** The weakest sandbox of those that take jobs. `unknown` if there are none or one does not report it. */
  sandbox: SandboxCensus;
  /** The slowest way in which those load documents. `unknown` as for the sandbox. */
  loader: LoaderCensus;
}

export type SandboxCensus = 'enforced' | 'degraded' | 'unknown';
export type LoaderCensus = DocumentLoader | 'unknown';

/** Counts the workers of a queue, but not the one with the id `except`. */
export async function countWorkers(redis: Redis, queue: string, except = ''): Promise<WorkerCensus> {
  const notices = await redis.hgetall(workersOf(queue));
  const census = { workers: 0, capacity: 0, away: 0, runMsMean: 0 };
  const now = Date.now();
  const expired: string[] = [];
  const current: WorkerNotice[] = [];
  for (const [id, text] of Object.entries(notices)) {
    const notice = workerNotice.safeParse(JSON.parse(text)).data;
    if (notice === undefined || id === except) continue;
    if (notice.expiresAt < now) {
      expired.push(id);
      continue;
    }
    if (notice.isAway === true) census.away += 1;
    if (notice.capacity > 0) {
      census.workers += 1;
      current.push(notice);
    }
    census.capacity += notice.capacity;
    census.runMsMean = Math.max(census.runMsMean, notice.runMsMean);
  }
  if (expired.length > 0) await redis.hdel(workersOf(queue), ...expired);
  return {
    ...census,
    sandbox: weakest(
      current.map(({ sandbox }) => sandbox),
      'degraded',
    ),
    loader: weakest(
      current.map(({ loader }) => loader),
      'libreofficekit',
    ),
  };
}

/** The weak value if one worker has it; `unknown` if one has none. */
function weakest<Value extends string>(
  values: readonly (Value | undefined)[],
  weak: NoInfer<Value>,
): Value | 'unknown' {
  if (values.includes(weak)) return weak;
  return values.includes(undefined) ? 'unknown' : (values[0] ?? 'unknown');
}
