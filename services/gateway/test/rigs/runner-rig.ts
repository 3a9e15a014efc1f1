import type { Database } from '@scriptorium/database/pool';
import { sealBlob } from '@scriptorium/sealing/blob';
import { Secret } from '@scriptorium/shared/config';
import { type JobParts, jobSecrets } from '../../src/deferred/job-secrets.ts';
import {
  type JobTable,
  jobTable,
  type NewJob,
  newJobId,
  type StoredJob,
} from '../../src/deferred/job-table.ts';
import type { RunnerParts } from '../../src/deferred/runner.ts';

export const OWNER = Buffer.alloc(32);
const secrets = jobSecrets(new Secret('a'.repeat(64)));

/** What a runner has, with documents in this process. `save` is that of its table. */
export function runnerParts(database: Database, save: (table: JobTable) => JobTable['save']) {
  const table = jobTable(database, { secrets, place: 'here', waitMsMax: 60_000, resultMs: 60_000 });
  const held = new Map<string, Buffer>();
  const parts = {
    ...{
      secrets,
      slots: 1,
      isReady: () => true,
      waitMsMax: 60_000,
      resultMs: 60_000,
      maySignAsService: () => false,
    },
    table: { ...table, save: save(table) },
    blobs: {
      put: async (key: string, bytes: Buffer) => void held.set(key, Buffer.from(bytes)),
      get: async (key: string) => (held.has(key) ? Buffer.from(held.get(key) ?? []) : null),
      remove: async (keys: string[]) => {
        for (const key of keys) held.delete(key);
      },
    },
    replay: {
      run: async () => ({ bytes: Buffer.from('%PDF'), contentType: 'application/pdf', headers: {} }),
    },
    ownerOf: async () => ({}),
    isFull: async () => false,
    events: { jobStepped: () => {}, jobTroubled: () => {} },
  } as unknown as RunnerParts;
  return { parts, table, held };
}

/** Keeps a job whose request is `body`. */
export async function inserted(
  table: JobTable,
  held: Map<string, Buffer>,
  { body = '{}', also = {}, ...more }: Partial<NewJob> & { body?: string; also?: Partial<JobParts> } = {},
): Promise<StoredJob> {
  const id = newJobId();
  const { box, seal } = sealBlob(Buffer.from(body));
  const input = { key: `${id}.input`, bytes: body.length, seal };
  held.set(input.key, box);
  const job = {
    ...{ id, ownerHash: OWNER, keyId: 'key', operation: 'convert', requestHash: OWNER, keyHashes: [] },
    ...{ held: box.length, delivery: null, notification: null },
    ...more,
    parts: { path: '/v1/convert', accept: '*/*', input, ...also },
  };
  const kept = await table.insert(job, { jobsMax: 1_000, bytesMax: 1_000_000 });
  if (typeof kept === 'string') throw new Error(kept);
  return kept.job;
}
