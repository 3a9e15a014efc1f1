import { defineThread } from '@scriptorium/shared/threads/define-thread';
import { programBeside } from '@scriptorium/shared/threads/worker-threads';
import { EngineError } from '../engines/engine.ts';
import type { SanitizerThreadData } from './sanitizer-thread.ts';

/**
 * Far more than any document within the limits takes, even on a busy machine: the limits refuse documents, and this holds if one
 * fails.
 */
const SANITIZER_MS_MAX = 30_000;
const RARE_MS_MAX = 30_000;
const SANITIZER_HEAP_MIB_MAX = 1_024;
const FINISH_HEAP_MIB_MAX = 1_024;
/** Neither pixels nor the memory of PDFium are part of the heap. */
const PDFIUM_HEAP_MIB_MAX = 256;

const fail = (kind: 'aborted' | 'unavailable', message: string) => new EngineError(kind, message);
/** For work that few documents need. */
const RARE = { timeoutMs: RARE_MS_MAX, fail };

/** Threads that sanitize documents. */
export const sanitizerThreads = defineThread<typeof import('./sanitizer-thread.ts'), SanitizerThreadData>({
  module: programBeside(import.meta.url, 'sanitizer-thread'),
  calls: { prepare: (why) => `The document takes ${why} to check.` },
  timeoutMs: SANITIZER_MS_MAX,
  heapMibMax: SANITIZER_HEAP_MIB_MAX,
  fail,
});
type SanitizerThreads = ReturnType<typeof sanitizerThreads>;
export type Prepare = SanitizerThreads['prepare'];

/** A thread that compares PDFs. */
export const comparisonThread = defineThread<typeof import('./comparison-thread.ts')>({
  module: programBeside(import.meta.url, 'comparison-thread'),
  calls: { compare: (why) => `The documents take ${why} to compare.` },
  heapMibMax: PDFIUM_HEAP_MIB_MAX,
  ...RARE,
});
export type Compare = ReturnType<typeof comparisonThread>['compare'];

/** A thread that draws pages. */
export const drawingThread = defineThread<typeof import('./drawing-thread.ts')>({
  module: programBeside(import.meta.url, 'drawing-thread'),
  calls: { draw: (why) => `The page takes ${why} to draw.` },
  heapMibMax: PDFIUM_HEAP_MIB_MAX,
  ...RARE,
});
export type Draw = ReturnType<typeof drawingThread>['draw'];

/** A thread that finishes PDFs. */
export const finishThread = defineThread<typeof import('./finish-thread.ts')>({
  module: programBeside(import.meta.url, 'finish-thread'),
  calls: { finish: (why) => `The PDF takes ${why} to finish.` },
  heapMibMax: FINISH_HEAP_MIB_MAX,
  ...RARE,
});
export type Finish = ReturnType<typeof finishThread>['finish'];
