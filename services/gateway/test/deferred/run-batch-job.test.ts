import { expect, test } from '@jest/globals';
import type { BatchJob } from '../../src/batches/batch-job.ts';
import type { Outcome } from '../../src/batches/pack-client.ts';
import { BatchProgress } from '../../src/deferred/batch-progress.ts';
import type { JobParts } from '../../src/deferred/job-secrets.ts';
import type { StoredJob } from '../../src/deferred/job-table.ts';
import { BATCH_MS_MAX } from '../../src/deferred/next.ts';
import type { Run } from '../../src/deferred/replay.ts';
import { runBatchJob } from '../../src/deferred/run-batch-job.ts';
import type { Keep, StepParts } from '../../src/deferred/step-parts.ts';

const job = {
  ...{ id: 'job_a', createdAt: Date.now(), held: 1, progress: null },
  parts: { path: '/v1/batches', accept: '*/*', input: { key: 'in', bytes: 1 } },
} as unknown as StoredJob & { parts: JobParts };

const failed = (index: number): Outcome => ({
  row: { index, filling: { kind: 'data', json: Buffer.alloc(0), images: undefined } },
  error: { code: 'DATA_MISSING', error: 'DATA_MISSING', message: 'A value is missing.' } as never,
});

/** Runs a batch whose rows are what `rowsOf` does with it. `renew` is called before each position is written. */
function running(
  body: object,
  rowsOf: (batch: BatchJob) => Promise<void>,
  renew: (batch: BatchJob, ttlMs: number) => Promise<void>,
  keep: Keep,
  of = job,
  reader: object = {},
) {
  const batches = new Map<string, BatchJob>();
  const batchOf = (): BatchJob => {
    const batch = batches.get(of.id);
    if (batch === undefined) throw new Error('there is no batch');
    return batch;
  };
  const parts = {
    ...{ batches, sender: {}, reader, events: { rowSent: () => undefined } },
    blobs: {
      async renew(_key: string, ttlMs: number) {
        await renew(batchOf(), ttlMs);
        return true;
      },
    },
    replay: {
      async run() {
        await rowsOf(batchOf());
        return {};
      },
    },
  } as unknown as StepParts;
  const run = { jobId: of.id, path: '/v1/batches', body: Buffer.from(JSON.stringify(body)) } as Run;
  return runBatchJob(of, run, parts, new AbortController().signal, keep);
}

const fail = async (batch: BatchJob, index: number): Promise<void> => {
  batch.read(index, index + 1);
  await batch.output?.row(failed(index));
};

test('counts no row in a position that the counts beside it lack', async () => {
  const kept: number[][] = [];
  const ttls: number[] = [];
  await running(
    { rows: [] },
    async (batch) => {
      await fail(batch, 0);
      batch.ended({ summary: { rows: 1, done: 0, failed: 1 } });
    },
    // A row ends while the document store is asked.
    async (batch, ttlMs) => {
      ttls.push(ttlMs);
      if (ttls.length === 1) await fail(batch, 1);
    },
    async (happening, changes) => {
      if (happening.kind !== 'progressed') throw new Error('nothing else is kept');
      kept.push([happening.progress.rows, changes?.parts?.position?.nextIndex ?? -1]);
    },
  );
  expect(kept.length).toBeGreaterThan(0);
  // It may wait for hours between two turns.
  expect(Math.min(...ttls)).toBeGreaterThanOrEqual(BATCH_MS_MAX);
  for (const [rows, position] of kept) expect(position).toBe(rows);
});

test('writes no later time than that of its last row, so that a batch without rows ends', async () => {
  const at = new Date(0).toISOString();
  const before = { rows: 1, done: 1, failed: 0, at, failures: [] };
  const kept: string[] = [];
  await running(
    { rows: [] },
    async (batch) => batch.ended({ summary: { rows: 0, done: 0, failed: 0 } }),
    async () => undefined,
    async (happening) => {
      if (happening.kind === 'progressed') kept.push(happening.progress.at);
    },
    { ...job, progress: before },
  );
  expect(kept).toEqual([at]);
});

test('reads up to its place before a row may be late, if the server sends everything again', async () => {
  const read: string[] = [];
  const body = async function* () {
    for (const line of ['row 0\n', 'row 1\n', 'row 2\n']) {
      read.push(line);
      yield Buffer.from(line);
    }
  };
  const reader = {
    open: async () => ({ status: 200, start: 0, version: '', body: body(), close: async () => undefined }),
  };
  const position = { nextIndex: 2, answered: [], at: 12, version: '' };
  const { happening } = await running(
    { rows: { url: 'http://rows.example/' } },
    async (batch) => {
      expect(read.length).toBe(3);
      const first = await batch.rows?.next();
      expect(first?.value?.toString()).toBe('row 2\n');
      expect((await batch.rows?.next())?.done).toBe(true);
      batch.ended({ summary: { rows: 1, done: 1, failed: 0 } });
    },
    async () => undefined,
    async () => undefined,
    { ...job, parts: { ...job.parts, position } },
    reader,
  );
  expect(happening.kind).toBe('rows ended');
});

test('writes little of a row that fails for a hundred reasons', () => {
  const progress = new BatchProgress(null);
  const details = Array.from({ length: 100 }, (_, at) => ({ field: `data.${at}`, issue: 'is not known' }));
  progress.failed({ index: 0 }, { code: 'VALIDATION_ERROR', message: 'x'.repeat(20_000), details });
  expect(JSON.stringify(progress.now().failures).length).toBeLessThan(1_000);
});

test('does not go on behind a failed row at which it should have ended', async () => {
  const error = { code: 'CONVERSION_FAILED', message: 'The row has failed.' } as const;
  const at = new Date(0).toISOString();
  const before = { rows: 5, done: 4, failed: 1, at, failures: [{ index: 4, error }] };
  const { happening } = await running(
    { rows: [], options: { onError: 'stop' } },
    () => Promise.reject(new Error('it goes on')),
    async () => undefined,
    async () => undefined,
    { ...job, progress: before },
  );
  expect(happening).toMatchObject({ kind: 'refused', isFinal: true, error: { code: 'CONVERSION_FAILED' } });
});
