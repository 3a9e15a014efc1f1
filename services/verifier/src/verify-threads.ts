import { abortError, defineThread } from '@scriptorium/shared/threads/define-thread';
import { programBeside } from '@scriptorium/shared/threads/worker-threads';
import type { VerifyThreadData } from './verify-thread.ts';

/** External authorities take at most twenty seconds of it. */
const TIMEOUT_MS = 40_000;
const HEAP_MIB_MAX = 1_024;

/** Threads that verify. */
export const verifyThreads = defineThread<typeof import('./verify-thread.ts'), VerifyThreadData>({
  module: programBeside(import.meta.url, 'verify-thread'),
  calls: { verify: (why) => `The document takes ${why} to verify.` },
  timeoutMs: TIMEOUT_MS,
  heapMibMax: HEAP_MIB_MAX,
  fail: abortError('verification', 'document'),
});
export type VerifyThreads = ReturnType<typeof verifyThreads>;
