import { parentPort, workerData } from 'node:worker_threads';
import { giveBackWhenIdle, overwrite, workEnded } from '@scriptorium/sealing/idle-memory';
import { giveWay, ownCpuMs, ownThreadId } from '@scriptorium/shares/thread-cpu';
import { toAppError } from '../to-app-error.ts';
import {
  asBuffers,
  type StartNote,
  type ThreadAnswer,
  type ThreadRequest,
  type ThreadStart,
} from './thread.ts';

/** The program of a thread: loads the module that its owner has named, and runs its functions, one at a time. */

type Work = (input: unknown) => unknown;

const { module: url, isSlow } = workerData as ThreadStart;
const id = ownThreadId();
if (isSlow && id !== undefined) giveWay([id]);
const module = (await import(url)) as Readonly<Record<string, Work>> & {
  keeps?: (input: unknown) => readonly unknown[];
};

// The first call must not pay for the start of its thread.
parentPort?.postMessage({ threadId: id, cpuMs: ownCpuMs() } satisfies StartNote);
giveBackWhenIdle();
parentPort?.on('message', async ({ name, input }: ThreadRequest) => {
  const own = asBuffers(input);
  const answer = await answerTo(name, own);
  parentPort?.postMessage(answer, answer.ok ? movable(answer.result) : []);
  // The answer has been copied, or its memory is moved. The memory of the request belongs to this thread.
  if (own !== undefined) overwrite(own, module.keeps?.(own) ?? []);
  workEnded();
});

async function answerTo(name: string, input: unknown): Promise<ThreadAnswer> {
  try {
    const result = await module[name]?.(input);
    return { ok: true, result, cpuMs: ownCpuMs() };
  } catch (error) {
    const { code, message, details, cause } = toAppError(error);
    const shown = cause instanceof Error ? cause : undefined;
    return { ok: false, code, message, details, cause: shown, cpuMs: ownCpuMs() };
  }
}

/** The memory of a result, or of its `bytes`, is moved instead of copied, unless others share it. */
function movable(result: unknown): ArrayBuffer[] {
  const bytes = typeof result === 'object' && result !== null && 'bytes' in result ? result.bytes : result;
  if (!(bytes instanceof Uint8Array)) return [];
  const { buffer, byteLength } = bytes;
  return buffer instanceof ArrayBuffer && buffer.byteLength === byteLength ? [buffer] : [];
}
