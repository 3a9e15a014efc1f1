import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

/** A thread that did nothing for this time gives its memory back. */
const IDLE_MS = 5_000;

/** Buffers below half of it share memory, which stays while one of them is in use. Node's own 64 KiB would hold whole documents. */
const POOL_BYTES = 8 * 1024;

/**
 * A heap may double before it is collected. By itself, V8 collects one of 40 MiB whenever 8 MiB were added, with the buffers
 * outside. That takes half of the processor time of a request with a document.
 */
const GROWTH = '--heap-growing-percent=100';

type Collect = (options: { type: 'major'; execution: 'sync'; flavor: 'last-resort' }) => void;
let collect: Collect | undefined;

/** Collects what is no longer used, and returns empty pages to the system. It takes some ten milliseconds. */
function giveBack(): void {
  setFlagsFromString('--expose-gc');
  collect ??= runInNewContext('gc') as Collect;
  collect({ type: 'major', execution: 'sync', flavor: 'last-resort' });
}

let isOn = false;
let timer: NodeJS.Timeout | undefined;

/**
 * Makes this thread give the memory of documents back once no work has ended for some seconds. V8 would keep it until it needs the
 * room. For threads that belong to a service alone: with a heap of gigabytes, the collection takes seconds.
 */
export function giveBackWhenIdle(): void {
  Buffer.poolSize = POOL_BYTES;
  setFlagsFromString(GROWTH);
  isOn = true;
}

/** Reports the end of a piece of work. It has no effect in a thread that does not give memory back. */
export function workEnded(): void {
  if (!isOn) return;
  if (timer === undefined) timer = setTimeout(giveBack, IDLE_MS).unref();
  else timer.refresh();
}

/**
 * Gives the memory of bytes back at once that are no longer read or written. V8 counts it as garbage otherwise, and looks at
 * everything for it. Bytes that share their memory with others stay.
 */
export function free({ buffer, byteLength }: Uint8Array): void {
  if (byteLength === 0 || buffer.byteLength !== byteLength) return;
  if (buffer instanceof ArrayBuffer) buffer.transfer(0);
}

/** The same for bytes that must not stay in memory. They are overwritten in any case. */
export function release(bytes: Uint8Array): void {
  // The memory of an answer has moved with it.
  if (bytes.length > 0) bytes.fill(0);
  free(bytes);
}

/** Releases all bytes in a value, except those in `kept`. */
export function overwrite(value: unknown, kept: readonly unknown[]): void {
  if (typeof value !== 'object' || value === null || kept.includes(value)) return;
  if (value instanceof Uint8Array) release(value);
  else for (const part of Object.values(value)) overwrite(part, kept);
}
