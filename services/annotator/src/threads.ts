import { createHash } from 'node:crypto';
import { abortError, defineThread } from '@scriptorium/shared/threads/define-thread';
import { programBeside } from '@scriptorium/shared/threads/worker-threads';
import type { AnnotateThreadData, DataRequest, FillRequest, InspectRequest } from './annotate-thread.ts';
import type { FormsTask } from './fill-forms.ts';
import type { GroupTask } from './fill-group.ts';

/** Far more than any request within the limits of the packages needs. These values apply only if such a limit fails. */
const FILL_MS_MAX = 30_000;
const MERGE_MS_MAX = 30_000;
const JOIN_MS_MAX = 60_000;
const HEAP_MIB_MAX = 1_024;

const filling = (why: string) => `The template takes ${why} to fill.`;
const inspecting = (why: string) => `The template takes ${why} to inspect.`;
const joining = (why: string) => `The documents take ${why} to join.`;

/** Threads that fill and inspect templates. Each caches the templates that it has read. */
export const annotateThreads = defineThread<typeof import('./annotate-thread.ts'), AnnotateThreadData>({
  module: programBeside(import.meta.url, 'annotate-thread'),
  calls: {
    fill: filling,
    fillForm: filling,
    generate: filling,
    fillRows: filling,
    fillForms: filling,
    inspect: inspecting,
    inspectForm: inspecting,
    lint: inspecting,
  },
  affinityOf: templateHash,
  timeoutMs: FILL_MS_MAX,
  heapMibMax: HEAP_MIB_MAX,
  fail: abortError('template', 'template'),
});
export type AnnotateThreads = ReturnType<typeof annotateThreads>;

function templateHash(input: FillRequest | DataRequest | GroupTask | FormsTask | InspectRequest): string {
  if ('hash' in input) return input.hash;
  return createHash('sha256').update(input.source).digest('base64url');
}

/** Threads that merge documents. They are apart from those that fill templates, which have to answer within milliseconds. */
export const mergeThreads = defineThread<typeof import('./merge-thread.ts')>({
  module: programBeside(import.meta.url, 'merge-thread'),
  calls: { merge: (why) => `The documents take ${why} to merge.` },
  timeoutMs: MERGE_MS_MAX,
  heapMibMax: HEAP_MIB_MAX,
  fail: abortError('merge', 'document'),
});
export type MergeThreads = ReturnType<typeof mergeThreads>;

/** Threads that join PDFs, one file each. */
export const joinThreads = defineThread<typeof import('./join-thread.ts')>({
  module: programBeside(import.meta.url, 'join-thread'),
  calls: { add: joining, addPack: joining, finish: joining },
  timeoutMs: JOIN_MS_MAX,
  heapMibMax: HEAP_MIB_MAX,
  keepsState: true,
  fail: abortError('joining', 'document'),
});
