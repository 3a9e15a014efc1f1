import { setTimeout as sleep } from 'node:timers/promises';
import type { BlobStore } from '@scriptorium/shared/blob/store';
import { hasEnded } from './job.ts';
import type { JobTable, StoredJob } from './job-table.ts';

const PAUSE_MS = 3_000;
const ATTEMPTS_MAX = 40;

/**
 * Removes the documents that a job does not have, once the database has said so twice. It is for a database that did not
 * say whether it has written a job. Otherwise the documents would stay until they expire.
 */
export async function removeUnused(
  { table, blobs }: { table: Pick<JobTable, 'find'>; blobs: Pick<BlobStore, 'remove'> },
  { id, ownerHash }: Pick<StoredJob, 'id' | 'ownerHash'>,
  keys: readonly string[],
  pauseMs = PAUSE_MS,
): Promise<void> {
  let unused = new Set<string>();
  for (let attempt = 0; attempt < ATTEMPTS_MAX; attempt++) {
    await sleep(pauseMs, undefined, { ref: false });
    const job = await table.find(ownerHash, id).catch(() => undefined);
    if (job === undefined) continue;
    const had = keysOf(job);
    // What it was asked to write may come after the first answer.
    const still = keys.filter((key) => unused.has(key) && !had.includes(key));
    if (still.length > 0) return blobs.remove(still).catch(() => undefined);
    unused = new Set(keys.filter((key) => !had.includes(key)));
    if (unused.size === 0) return;
  }
}

function keysOf(job: StoredJob | null): (string | undefined)[] {
  const { input, result } = job?.parts ?? {};
  if (job !== null && !hasEnded(job.state)) return [input?.key, result?.key];
  return job?.delivery === null ? [result?.key] : [];
}
