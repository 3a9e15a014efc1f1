import { readFileSync } from 'node:fs';
import { isMainThread, parentPort, Worker, workerData } from 'node:worker_threads';

const LOOK_MS = 1;
const NS_A_MS = 1_000_000;
/** Time that the server did not use is lost beyond this. */
const SAVED_MS_MAX = 10;

interface Task {
  pid: number;
  share: number;
  isEnded: Int32Array;
}

/** A process while it was throttled. */
export interface Throttled {
  /** Share of the CPU time available to it that it used: near 1 if it always had something to do. */
  busy: number;
}

/**
 * Gives a process only this share of a core, by SIGSTOP and SIGCONT. Its callers' work piles up meanwhile, so that it
 * always has something to do: like a server that uses a whole core.
 */
export function throttle(pid: number, share: number): { end(): Promise<Throttled> } {
  const isEnded = new Int32Array(new SharedArrayBuffer(4));
  const task: Task = { pid, share, isEnded };
  const thread = new Worker(new URL(import.meta.url), { workerData: task });
  const result = new Promise<Throttled>((resolve, reject) => {
    thread.once('message', resolve);
    thread.once('error', reject);
  });
  return {
    end() {
      Atomics.store(isEnded, 0, 1);
      Atomics.notify(isEnded, 0);
      return result;
    },
  };
}

/** CPU time of the main thread (Documentation/scheduler/sched-stats.rst). */
function cpuMsOf(pid: number): number {
  return Number(readFileSync(`/proc/${pid}/schedstat`, 'latin1').split(' ', 1)[0]) / NS_A_MS;
}

/** A bucket of CPU time: filled at the share, emptied by what the process uses, which stops while it is empty. */
function keepToShare({ pid, share, isEnded }: Task): Throttled {
  const [startedAt, cpuBefore] = [performance.now(), cpuMsOf(pid)];
  let [lastAt, lastCpu, leftMs] = [startedAt, cpuBefore, 0];
  let isStopped = false;
  try {
    while (Atomics.wait(isEnded, 0, 0, LOOK_MS) === 'timed-out') {
      const [now, cpu] = [performance.now(), cpuMsOf(pid)];
      leftMs = Math.min(SAVED_MS_MAX, leftMs + (now - lastAt) * share - (cpu - lastCpu));
      [lastAt, lastCpu] = [now, cpu];
      if (leftMs > 0 !== isStopped) continue;
      isStopped = !isStopped;
      process.kill(pid, isStopped ? 'SIGSTOP' : 'SIGCONT');
    }
  } finally {
    process.kill(pid, 'SIGCONT');
  }
  return { busy: (lastCpu - cpuBefore) / ((lastAt - startedAt) * share) };
}

if (!isMainThread) parentPort?.postMessage(keepToShare(workerData as Task));
