import { threadId } from 'node:worker_threads';
import { AppError } from '@scriptorium/contracts/errors';
import { countAskedThread } from '@scriptorium/shares/thread-cpu';
import { threadData } from '../../src/threads/thread.ts';

const seen: Buffer[] = [];
let isReady = false;

/** What its owner may pass. */
export type TellingData = { startMs: number } | undefined;
rest(threadData<TellingData>()?.startMs ?? 0);

export function ready(): void {
  isReady = true;
}

/** No bytes of a text or a document are read after the answer. */
export function keeps(input: string | { kept?: Buffer }): unknown[] {
  return [(input as { kept?: Buffer }).kept];
}

/** Answers with its number and rejects empty texts. */
export function tell(text: string): { thread: number; bytes: Buffer; isReady: boolean } {
  if (text === '')
    throw new AppError('VALIDATION_ERROR', 'The text is empty.', {
      details: [{ field: 'text', issue: 'is empty' }],
    });
  return { thread: threadId, bytes: Buffer.from(text), isReady };
}

/** A document comes back as it arrived, with what is left of earlier ones. */
export function echo({ document, parts }: { document: Buffer; parts: Buffer[] }): {
  bytes: Buffer;
  left: Buffer;
} {
  const left = Buffer.concat(seen);
  seen.push(document, ...parts);
  // A document alone is its own answer.
  return { bytes: parts.length > 0 ? Buffer.concat([document, ...parts]) : document, left };
}

/** Uses a processor for this time, ms. */
export function spin(ms: number): 'spun' {
  const before = process.threadCpuUsage();
  for (;;) {
    const { user, system } = process.threadCpuUsage(before);
    if ((user + system) / 1000 >= ms) return 'spun';
  }
}

/** Counts what another process did for it, ms. */
export function count(ms: number): void {
  countAskedThread(ms);
}

/** Uses none, ms. */
export function rest(ms: number): 'rested' {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);
  return 'rested';
}
