import { parentPort, workerData } from 'node:worker_threads';
import type { ErrorCode, ErrorDetail } from '@scriptorium/contracts/errors';

/** What a thread starts with: the URL of its module, the data for it, and whether it has the lowest priority. */
export interface ThreadStart {
  module: string;
  data: unknown;
  isSlow?: boolean;
}

/** A call of a function of the module. */
export interface ThreadRequest {
  name: string;
  input?: unknown;
}

/** The answer of a thread. Errors are sent as data, since their class would be lost. */
export type ThreadAnswer = { cpuMs: number } & (
  | { ok: true; result: unknown }
  | { ok: false; code: ErrorCode; message: string; details: ErrorDetail[] | undefined; cause: unknown }
);

/** A message of a thread in addition to its answers. */
export interface ThreadNote {
  note: string;
}

/** The kernel's id of a thread, and the processor time of its start. A thread passes on only the ids of its own threads. */
export interface StartNote {
  threadId: number | undefined;
  cpuMs?: number;
  /** The kernel may give the id to another thread. */
  hasEnded?: boolean;
}

/** What its owner knows of a thread. */
export interface StartedThreads {
  /** At the kernel: its own, and those of the threads that it has started. */
  ids: number[];
  hasStarted: boolean;
  /** Its processor time when it last said it. */
  cpuMs: number;
}

/** Keeps what a thread notes. If this is a thread itself, its owner gives way with those that it has started. */
export function noteThread(state: StartedThreads, { threadId, cpuMs, hasEnded = false }: StartNote): void {
  if (cpuMs !== undefined) Object.assign(state, { cpuMs, hasStarted: true });
  if (threadId === undefined) return;
  if (hasEnded) state.ids.splice(state.ids.indexOf(threadId), 1);
  else state.ids.push(threadId);
  parentPort?.postMessage({ threadId, hasEnded } satisfies StartNote);
}

/** Sends a note to the `onNote` of the owner of this thread. It has no effect on the main thread. */
export function noteToOwner(note: string): void {
  parentPort?.postMessage({ note } satisfies ThreadNote);
}

/** Returns the data of this thread, of the type that its owner passed. */
export function threadData<Data>(): Data {
  return (workerData as ThreadStart).data as Data;
}

/** Restores the Buffers in a value, which arrive from another thread as Uint8Arrays. */
export function asBuffers(value: unknown): unknown {
  if (value instanceof Uint8Array) return asBuffer(value);
  if (typeof value === 'object' && value !== null && !ArrayBuffer.isView(value))
    for (const [key, part] of Object.entries(value))
      if (typeof part === 'object') (value as Record<string, unknown>)[key] = asBuffers(part);
  return value;
}

/** Restores a Buffer. */
export function asBuffer(bytes: Uint8Array): Buffer {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}
