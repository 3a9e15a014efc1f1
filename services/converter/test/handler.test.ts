import { beforeEach, describe, expect, test } from '@jest/globals';
import type { ConversionReport } from '@scriptorium/contracts/jobs/conversion-report';
import { conversion, convertJob, convertOptions } from '@scriptorium/contracts/jobs/convert';
import { signJob } from '@scriptorium/contracts/jobs/sign';
import { collectResults, openedBlob } from '@scriptorium/shared/blob/exchange';
import { createMemoryBlobStore } from '@scriptorium/testing/memory-blob-store';
import { convertHandler } from '../src/handler.ts';

const options = conversion.parse(convertOptions.parse({ from: 'docx' }));
const REPORT: ConversionReport = {
  pages: 1,
  warnings: 0,
  fonts: { missingScripts: [] },
  dropped: { count: 0, items: [] },
  macros: false,
  revisions: { insertions: 0, deletions: 0, moves: 0, formatting: 0, shown: 'markup' },
  comments: { count: 0, shown: 'hide' },
  fields: { updated: 'none', frozen: 0, kinds: {} },
  engine: { name: 'test', attempts: 1 },
  timings: { gateMs: 1, waitMs: 0, engineMs: 2, totalMs: 3 },
};
const context = () => ({
  requestId: 'req_1',
  deadlineAt: Date.now() + 60_000,
  signal: new AbortController().signal,
  keep: results.keep,
});

let blobs = createMemoryBlobStore();
let results = collectResults('req_1', Date.now() + 60_000);
beforeEach(() => {
  blobs = createMemoryBlobStore();
  results = collectResults('req_1', Date.now() + 60_000);
});

/** Stores a source and runs a fake conversion on it. */
async function convert(more: { thenSign?: object } = {}) {
  await blobs.put('req_1.source', Buffer.from('a letter'), 60_000);
  const handler = convertHandler(
    async (read) => ({
      bytes: Buffer.from(`%PDF of ${await read()}`),
      contentType: 'application/pdf',
      report: REPORT,
    }),
    blobs,
    () => Buffer.alloc(0),
  );
  const input = convertJob.input.parse({ source: { key: 'req_1.source', bytes: 8 }, options, ...more });
  return await handler(input, context());
}

describe('a conversion', () => {
  test('keeps its result for the answer, without a next step', async () => {
    const { output, next } = await convert();
    expect(next).toBeUndefined();
    expect(results.kept.map(({ key }) => key)).toEqual([output.result.key]);
    const [kept] = results.kept;
    expect(openedBlob(output.result, kept?.bytes ?? null)?.toString()).toBe('%PDF of a letter');
  });

  test('passes a PDF to the signer with the signing request', async () => {
    const thenSign = {
      request: { key: 'req_1.request', bytes: 10 },
      images: { key: 'req_1.images', bytes: 20 },
    };
    const { output, next } = await convert({ thenSign });
    expect(next).toMatchObject({ queue: signJob.name, input: { ...thenSign, source: output.result } });
    expect(signJob.input.safeParse(next?.input).success).toBe(true);
    expect(next?.blobs.sort()).toEqual([output.result.key, 'req_1.images', 'req_1.request'].sort());
  });
});
