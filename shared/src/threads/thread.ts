import { parentPort, workerData } from 'node:worker_threads';
import type { ErrorCode, ErrorDetail } from '../errors.ts';
import { toAppError } from '../to-app-error.ts';

/** What a thread answers. An error crosses as data: its class would be lost. */
export type ThreadAnswer<Result> =
  | { ok: true; result: Result }
  | { ok: false; code: ErrorCode; message: string; details: ErrorDetail[] | undefined; cause: unknown };

/** What a thread has to say beside its answers. */
export interface ThreadNote {
  note: string;
}

/** Tells whoever started this thread, by its `onNote`; nobody, where it is none. */
export function noteToOwner(note: string): void {
  parentPort?.postMessage({ note } satisfies ThreadNote);
}

/** What a thread was started with; of the type that its `WorkerThreads` gave. */
export function threadData<Data>(): Data {
  return workerData as Data;
}

/**
 * Makes this thread answer what its `WorkerThreads` asks, one request at a time. The memory of `bytesOf` a result is moved
 * instead of copied: nobody here may use it afterwards. Results that hold no bytes have none to move.
 */
export function answerRequests<Request, Result>(
  work: (request: Request) => Promise<Result>,
  bytesOf?: (result: Result) => Uint8Array,
): void {
  parentPort?.on('message', async (request: Request) => {
    const answer = await answerOf(work, request);
    parentPort?.postMessage(answer, answer.ok && bytesOf ? movable(bytesOf(answer.result)) : []);
  });
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

/** Not where these bytes share their memory with others. */
function movable({ buffer, byteLength }: Uint8Array): ArrayBuffer[] {
  return buffer instanceof ArrayBuffer && buffer.byteLength === byteLength ? [buffer] : [];
}

/** Of bytes that crossed between threads: a Buffer arrives as a plain array. */
export function asBuffer(bytes: Uint8Array): Buffer {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}
