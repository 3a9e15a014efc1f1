import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import type { BlobRef } from '@scriptorium/contracts/define-job';
import { convertJob, pdfOptions } from '@scriptorium/contracts/jobs/convert';
import { mergeJob } from '@scriptorium/contracts/jobs/merge';
import { openPackage } from '@scriptorium/ooxml/package';
import { collectResults, openedBlob } from '@scriptorium/shared/blob/exchange';
import { JOB_BYTES_MAX } from '@scriptorium/shared/queue/envelope';
import * as notDocx from '@scriptorium/testing/fixtures/not-docx';
import { p, run, templateOf, wordPart } from '@scriptorium/testing/fixtures/word-markup';
import { createMemoryBlobStore } from '@scriptorium/testing/memory-blob-store';
import { fittingWarnings } from '../src/fitting-warnings.ts';
import { mergeHandler } from '../src/merge-documents.ts';
import { type MergeThreads, mergeThreads } from '../src/threads.ts';

let threads: MergeThreads;
beforeAll(async () => {
  threads = mergeThreads({ threads: 1 });
  await threads.ready();
});
afterAll(() => threads.close());

let blobs = createMemoryBlobStore();
const bytesOf = (ref: BlobRef) =>
  openedBlob(ref, results.kept.find(({ key }) => key === ref.key)?.bytes ?? null) ?? Buffer.alloc(0);
let results = collectResults('req_1', Date.now() + 60_000);
beforeEach(() => {
  blobs = createMemoryBlobStore();
  results = collectResults('req_1', Date.now() + 60_000);
});

const documentOf = (text: string) => templateOf(p(run(text)));

async function merge(
  documents: readonly Buffer[],
  more: { first?: number; toPdf?: boolean; signal?: AbortSignal } = {},
) {
  const { first = 0, toPdf = false, signal = new AbortController().signal } = more;
  const sources = documents.map(async (bytes, at) => {
    await blobs.put(`document${at}`, bytes, 60_000);
    return { source: { key: `document${at}`, bytes: bytes.length } };
  });
  const input = mergeJob.input.parse({
    documents: await Promise.all(sources),
    first,
    options: {},
    ...(toPdf && {
      thenConvert: { from: 'docx', to: 'pdf', ...pdfOptions.parse({}) },
    }),
  });
  const context = { requestId: 'req_1', deadlineAt: Date.now() + 60_000, signal, keep: results.keep };
  const { output, next } = await mergeHandler(threads, blobs)(input, context);
  return { ...mergeJob.output.parse(output), next, bytes: bytesOf(output.result) };
}

/** The texts of a document in their order. */
async function textsOf(bytes: Buffer): Promise<string[]> {
  const { main } = await openPackage(bytes);
  return [...(main.xml ?? '').matchAll(/<w:t\b[^>]*>([^<]*)</g)].map(([, text = '']) => text);
}

describe('a job that merges', () => {
  test('keeps one document with the content of all in order', async () => {
    const { bytes, result, next } = await merge(['one', 'two', 'one'].map(documentOf));
    expect(await textsOf(bytes)).toEqual(['one', 'two', 'one']);
    expect(result.bytes).toBe(bytes.length);
    expect(next).toBeUndefined();
  });

  test('keeps the bytes of a document that is alone', async () => {
    const document = documentOf('alone');
    expect((await merge([document])).bytes.equals(document)).toBe(true);
  });

  test('forwards the document to the converter', async () => {
    const { next, result } = await merge(['one', 'two'].map(documentOf), { toPdf: true });
    expect(next).toMatchObject({ queue: convertJob.name, blobs: [result.key] });
    expect(convertJob.input.parse(next?.input)).toMatchObject({ source: result, options: { to: 'pdf' } });
  });

  test('warns of what a PDF has otherwise only if it becomes one', async () => {
    const note = `<w:p><w:r><w:footnoteReference w:id="1"/></w:r></w:p>`;
    const noted = templateOf(note, {
      links: [{ id: 'rId1', kind: 'footnotes', target: 'footnotes.xml' }],
      parts: [
        {
          name: 'word/footnotes.xml',
          type: 'application/vnd.openxmlformats-officedocument.wordprocessingml.footnotes+xml',
          data: wordPart('footnotes', `<w:footnote w:id="1">${p(run('note'))}</w:footnote>`),
        },
      ],
    });
    expect((await merge([noted, noted], { toPdf: true })).warnings).toMatchObject([
      { document: 1, code: 'NOTE_NUMBERS' },
    ]);
    expect((await merge([noted, noted])).warnings).toEqual([]);
  });

  test('merges 100 documents', async () => {
    const names = Array.from({ length: 100 }, (_, at) => `text ${at}`);
    expect(await textsOf((await merge(names.map(documentOf))).bytes)).toEqual(names);
  });

  const whole = documentOf('whole');
  test.each([
    ['encrypted', notDocx.passwordProtectedDocx(), 'DOCUMENT_ENCRYPTED'],
    ['no document', Buffer.from('PK and nothing else'), 'INVALID_FILE_FORMAT'],
    ['cut off', whole.subarray(0, whole.length / 2), 'INVALID_FILE_FORMAT'],
  ])('refuses all if one is %s, with its place in the request', async (_name, broken, code) => {
    const field = 'documents[5]';
    await expect(merge([whole, whole, broken], { first: 3 })).rejects.toMatchObject({
      code,
      details: [{ field }],
    });
    // The thread goes on.
    expect(await textsOf((await merge([whole])).bytes)).toEqual(['whole']);
  });

  test('ends when it is aborted', async () => {
    const signal = AbortSignal.abort();
    await expect(merge([whole], { signal })).rejects.toMatchObject({ code: 'DEADLINE_EXCEEDED' });
  });
});

test('warnings are as many as a queue entry can carry, and the last one counts the others', () => {
  const few = Array.from({ length: 3 }, (_, document) => ({ document, code: 'A', message: 'B' }));
  expect(fittingWarnings(few)).toEqual(few);
  const long = Array.from({ length: 900 }, (_, document) => ({
    document,
    code: 'A',
    message: 'ü'.repeat(document),
  }));
  const fitting = fittingWarnings(long);
  expect(Buffer.byteLength(JSON.stringify(fitting))).toBeLessThan(JOB_BYTES_MAX / 2);
  expect(fitting.slice(0, -1)).toEqual(long.slice(0, fitting.length - 1));
  expect(fitting.at(-1)).toMatchObject({
    code: 'MORE_WARNINGS',
    message: expect.stringContaining(`${900 - (fitting.length - 1)} more`),
  });
});
