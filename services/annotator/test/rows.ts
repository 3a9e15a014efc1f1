import { createHash } from 'node:crypto';
import type { BlobRef } from '@scriptorium/contracts/define-job';
import type { AppError } from '@scriptorium/contracts/errors';
import { type Conversion, pdfOptions } from '@scriptorium/contracts/jobs/convert';
import { fillRowsJob, type RequestedRows } from '@scriptorium/contracts/jobs/rows';
import { packParts } from '@scriptorium/contracts/pack';
import { generation } from '@scriptorium/docx-generate/generation';
import { collectResults, openedBlob } from '@scriptorium/shared/blob/exchange';
import type { BlobStore } from '@scriptorium/shared/blob/store';
import { p, run, templateOf } from '@scriptorium/testing/fixtures/word-markup';
import { createMemoryBlobStore } from '@scriptorium/testing/memory-blob-store';
import type { z } from 'zod';
import type { AnnotateThreadData } from '../src/annotate-thread.ts';
import { fillRowsHandler } from '../src/fill-rows.ts';
import { TemplateBytes } from '../src/template-bytes.ts';
import { type AnnotateThreads, annotateThreads } from '../src/threads.ts';

export const TO_PDF: Conversion = { from: 'docx', to: 'pdf', ...pdfOptions.parse({}) };
export const SIGNING = { request: { key: 'signing', bytes: 1 } };
export const LETTER = templateOf(p(run('Dear {name}, {amount | number(2)}')));
/** Rows of the letter. */
export const ROWS = [
  { name: 'Ada', amount: 1 },
  { name: 'two\nlines', amount: 2 },
  {},
  { name: '<&>', amount: '3.5' },
];
const CACHE_BYTES = 10_000_000;

export type RowInput = { data: unknown } | { fields: unknown };

interface Filling extends Partial<z.input<typeof fillRowsJob.input>> {
  signal?: AbortSignal;
  /** Hash of the template, by default the right one. */
  hash?: string;
  blobs?: BlobStore;
  templates?: TemplateBytes;
}

export function startThreads(data: Partial<AnnotateThreadData> = {}, threads = 1): AnnotateThreads {
  const whole = { templateCacheBytesMax: CACHE_BYTES, font: undefined, ...data };
  return annotateThreads({ threads, data: whole });
}

export const hashOf = (bytes: Buffer) => createHash('sha256').update(bytes).digest('base64url');

/** The pack of a gateway. */
export function packOf(rows: readonly RowInput[]): Buffer {
  const parts: Buffer[] = [];
  const list: RequestedRows = rows.map((row) => {
    const place = parts.push(Buffer.from(JSON.stringify('data' in row ? row.data : row.fields)));
    return 'data' in row ? { data: place } : { fields: place };
  });
  return packParts([Buffer.from(JSON.stringify(list)), ...parts]);
}

/** Fills a pack of rows of a template. */
export async function fillRows(
  threads: Pick<AnnotateThreads, 'fillRows' | 'fillForms'>,
  source: Buffer,
  rows: readonly RowInput[],
  filling: Filling = {},
) {
  const {
    signal = new AbortController().signal,
    hash = hashOf(source),
    blobs = createMemoryBlobStore(),
    templates = new TemplateBytes(blobs, CACHE_BYTES),
    ...own
  } = filling;
  const leave = async (key: string, bytes: Buffer) => {
    await blobs.put(key, bytes, 60_000);
    return { key, bytes: bytes.length };
  };
  const input = fillRowsJob.input.parse({
    template: { hash, blob: await leave('template', source) },
    rows: await leave('rows', packOf(rows)),
    options: {},
    way: 'plain',
    ...own,
  });
  const failures: AppError[] = [];
  const onFailure = (_: string, error: AppError) => failures.push(error);
  const { keep, kept } = collectResults('req_1.1', Date.now() + 60_000);
  const context = { requestId: 'req_1.1', deadlineAt: Date.now() + 60_000, signal, keep };
  const { output, next } = await fillRowsHandler({ threads, blobs, templates, onFailure })(input, context);
  const keptAs = (ref: BlobRef) =>
    openedBlob(ref, kept.find(({ key }) => key === ref.key)?.bytes ?? null) ?? Buffer.alloc(0);
  return { output, next, failures, keptAs, bytes: keptAs(output.result) };
}

/** Fills the template with one row, as for a single request. */
export const fillSingle = (threads: AnnotateThreads, source: Buffer, data: unknown, options = {}) =>
  threads.generate(
    {
      source,
      data: Buffer.from(JSON.stringify(data)),
      images: Buffer.alloc(0),
      options: generation.parse(options),
    },
    new AbortController().signal,
  );
