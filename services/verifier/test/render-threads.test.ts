import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { blankPdf } from '@scriptorium/signatures/blank-documents';
import { boundlessPdf, endlessPdf } from '@scriptorium/testing/fixtures/pdf/costly';
import { RenderThread } from '../src/render-threads.ts';

const TIMEOUT_MS = 4_000;
const LEFT_BYTES_MAX = 200 * 1024 * 1024;

let threads: RenderThread;
let hurried: RenderThread;
beforeAll(() => {
  threads = new RenderThread();
  hurried = new RenderThread({ timeoutMs: TIMEOUT_MS });
});
afterAll(() => Promise.all([threads.close(), hurried.close()]));

const compare = (bytes: Buffer, by = threads) => {
  const page = { page: 0, fields: [], annotations: [], added: [], unsure: [], isPrintedToo: false };
  const comparison = { before: bytes.length, now: bytes.length, pages: [page] };
  return by.compare({ bytes, comparisons: [comparison], pictures: [] });
};

test('a document that takes PDFium longer than its bound is given up, and the next one is compared', async () => {
  await hurried.ready();
  expect(await compare(endlessPdf(), hurried)).toBe('rendering takes longer than the limit of 4 seconds');
  expect(await compare(blankPdf(), hurried)).toMatchObject({ comparisons: [{ differences: [] }] });
});

test('a document that takes PDFium more memory than its bound has a failure, leaves no memory in use, and the next one is compared', async () => {
  const before = process.memoryUsage.rss();
  expect(await compare(boundlessPdf())).toMatchObject({ comparisons: [{ failure: { code: 'FAILED' } }] });
  expect(await compare(blankPdf())).toMatchObject({ comparisons: [{ differences: [] }] });
  expect(process.memoryUsage.rss() - before).toBeLessThan(LEFT_BYTES_MAX);
});

test('a document that PDFium cannot read has a failure', async () => {
  expect(await compare(Buffer.from('not a PDF'))).toMatchObject({
    comparisons: [{ failure: { code: 'UNREADABLE' } }],
  });
});

test('a thread that cannot answer leaves a reason', async () => {
  const others = new RenderThread();
  await others.ready();
  const answer = others.compare({ bytes: blankPdf(), comparisons: [], pictures: [] });
  await others.close();
  expect(await answer).toBe('rendering was stopped');
});
