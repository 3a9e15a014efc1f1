import { abortError, defineThread } from '@scriptorium/shared/threads/define-thread';
import { programBeside } from '@scriptorium/shared/threads/worker-threads';
import type { SignThreadData } from './sign-thread.ts';

/** External authorities have their own, shorter limits; this one applies if those fail. */
const TIMEOUT_MS = 55_000;
const HEAP_MIB_MAX = 1_024;

/** Threads that sign; each reads the service's keys once. */
export const signThreads = defineThread<typeof import('./sign-thread.ts'), SignThreadData>({
  module: programBeside(import.meta.url, 'sign-thread'),
  calls: {
    sign: (why) => `The document takes ${why} to sign.`,
    augment: (why) => `The document takes ${why} to augment.`,
  },
  timeoutMs: TIMEOUT_MS,
  heapMibMax: HEAP_MIB_MAX,
  fail: abortError('signing', 'document'),
});
export type SignThreads = ReturnType<typeof signThreads>;
