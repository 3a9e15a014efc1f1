import type { BlobStore } from '@scriptorium/shared/blob/store';
import type { BlobRef } from '@scriptorium/shared/queue/define-job';
import type { Reply } from '../context.ts';
import { takeResult } from './job-blobs.ts';
import { type Stage, showTiming } from './server-timing.ts';

/** Answers with JSON as a worker left it. */
export async function sendWrittenJson(
  response: Reply,
  blobs: BlobStore,
  left: BlobRef,
  stages: Stage[],
): Promise<void> {
  const json = await takeResult(blobs, left);
  response.setHeader('Cache-Control', 'no-store');
  response.setHeader('Content-Type', 'application/json; charset=utf-8');
  showTiming(response, stages);
  response.end(json);
}
