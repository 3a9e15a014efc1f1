import { readFileSync, readlinkSync } from 'node:fs';
import { setPriority } from 'node:os';

const NS_PER_MS = 1e6;
/** The lowest. A thread cannot raise its priority again. */
const NICE_MAX = 19;

/** The id of this thread at the kernel. Undefined without `/proc`. */
export function ownThreadId(): number | undefined {
  try {
    return Number(readlinkSync('/proc/thread-self').split('/').at(-1));
  } catch {
    return undefined;
  }
}

let askedMs = 0;

/** Counts processor time of a thread that this one has asked, ms. */
export function countAskedThread(ms: number): void {
  askedMs += ms;
}

/** The processor time of this thread and of the threads that it has asked, since its start, ms. */
export function ownCpuMs(): number {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1_000 + askedMs;
}

/** The processor time that other threads of this process use from now on, also that of threads which they start. */
export class CpuMeter {
  readonly #threadIds: readonly number[];
  readonly #before: ReadonlyMap<number, number>;
  readonly #startedAt = performance.now();

  /** `threadIds` is read again each time. */
  constructor(threadIds: readonly number[]) {
    this.#threadIds = threadIds;
    this.#before = cpuTimesOf(threadIds);
  }

  /** Without that of threads which have ended, ms. By the clock if none of them can be read. */
  get usedMs(): number {
    const times = [...cpuTimesOf(this.#threadIds)];
    if (times.length === 0) return performance.now() - this.#startedAt;
    return times.reduce((sum, [id, ms]) => sum + Math.max(0, ms - (this.#before.get(id) ?? 0)), 0);
  }
}

/** Since the start of each thread, ms, by its id. */
function cpuTimesOf(threadIds: readonly number[]): Map<number, number> {
  const times = new Map<number, number>();
  for (const id of threadIds)
    try {
      const stat = readFileSync(`/proc/self/task/${id}/schedstat`, 'latin1');
      times.set(id, Number(stat.split(' ')[0]) / NS_PER_MS);
    } catch {
      // It has ended, or the kernel does not say.
    }
  return times;
}

/** From now on, threads of this process run only while no other one wants their processor, nearly. */
export function giveWay(threadIds: readonly number[]): void {
  for (const id of threadIds)
    try {
      setPriority(id, NICE_MAX);
    } catch {
      // It has ended, or the system does not permit it.
    }
}
