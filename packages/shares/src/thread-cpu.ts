import { readFileSync, readlinkSync } from 'node:fs';
import { setPriority } from 'node:os';

const NS_PER_MS = 1e6;
/** The lowest. A thread cannot raise its priority again. */
const NICE_MAX = 19;

/** The id of this thread at the kernel. Undefined where there is no `/proc`. */
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

/** The processor time of other threads of this process since their start, ms. Undefined if none of them can be read. */
export function cpuMsOf(threadIds: readonly number[]): number | undefined {
  const times = threadIds.flatMap((id) => {
    try {
      return Number(readFileSync(`/proc/self/task/${id}/schedstat`, 'latin1').split(' ')[0]) / NS_PER_MS;
    } catch {
      // It has ended, or the kernel does not say.
      return [];
    }
  });
  return times.length === 0 ? undefined : times.reduce((sum, ms) => sum + ms, 0);
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
