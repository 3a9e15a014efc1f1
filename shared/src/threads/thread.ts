import { parentPort, workerData } from 'node:worker_threads';
import type { ErrorCode, ErrorDetail } from '@scriptorium/contracts/errors';
import { giveBackWhenIdle, workEnded } from '@scriptorium/sealing/idle-memory';
import { toAppError } from '../to-app-error.ts';

/** The answer of a thread. Errors are sent as data, since their class would be lost. */
export type ThreadAnswer<Result> =
  | { ok: true; result: Result }
  | { ok: false; code: ErrorCode; message: string; details: ErrorDetail[] | undefined; cause: unknown };

/** A message of a thread in addition to its answers. */
export interface ThreadNote {
  note: string;
}

/** Sends a note to the `onNote` of the owner of this thread. It has no effect on the main thread. */
export function noteToOwner(note: string): void {
  parentPort?.postMessage({ note } satisfies ThreadNote);
}

/** Returns the data of this thread, of the type that its `WorkerThreads` passed. */
export function threadData<Data>(): Data {
  return workerData as Data;
}

/**
 * Makes this thread answer the requests of its `WorkerThreads`, one at a time. The memory of `bytesOf(result)` is transferred
 * instead of copied and must not be used afterwards. Results without bytes do not need `bytesOf`. The bytes of a request are
 * overwritten after the answer, except those that `keeps` returns.
 */
export function answerRequests<Request, Result>(
  work: (request: Request) => Promise<Result>,
  bytesOf?: (result: Result) => Uint8Array,
  keeps: (request: Request) => readonly unknown[] = () => [],
): void {
  giveBackWhenIdle();
  parentPort?.on('message', async (request: Request) => {
    const answer = await answerOf(work, request);
    parentPort?.postMessage(answer, answer.ok && bytesOf ? movable(bytesOf(answer.result)) : []);
    // The answer has been copied, or its memory is moved. The memory of the request belongs to this thread.
    overwrite(request, keeps(request));
    workEnded();
  });
}

/** Overwrites all bytes in a value, except those in `kept`. */
function overwrite(value: unknown, kept: readonly unknown[]): void {
  if (typeof value !== 'object' || value === null || kept.includes(value)) return;
  if (value instanceof Uint8Array) {
    // The memory of an answer has moved with it.
    if (value.length > 0) value.fill(0);
  } else for (const part of Object.values(value)) overwrite(part, kept);
}

async function answerOf<Request, Result>(
  work: (request: Request) => Promise<Result>,
  request: Request,
): Promise<ThreadAnswer<Result>> {
  try {
    return { ok: true, result: await work(request) };
  } catch (error) {
    const { code, message, details, cause } = toAppError(error);
    return { ok: false, code, message, details, cause: cause instanceof Error ? cause : undefined };
  }
}

/** Returns the memory of these bytes if they do not share it. */
function movable({ buffer, byteLength }: Uint8Array): ArrayBuffer[] {
  return buffer instanceof ArrayBuffer && buffer.byteLength === byteLength ? [buffer] : [];
}

/** Restores a Buffer, which arrives from another thread as a Uint8Array. */
export function asBuffer(bytes: Uint8Array): Buffer {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}
