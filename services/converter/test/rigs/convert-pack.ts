import type { BlobRef } from '@scriptorium/contracts/define-job';
import { type Conversion, conversion, convertOptions } from '@scriptorium/contracts/jobs/convert';
import { convertRowsJob, finishedRows, openPack } from '@scriptorium/contracts/jobs/rows';
import { packParts } from '@scriptorium/contracts/pack';
import { conform } from '@scriptorium/pdf/conformance';
import { prepare } from '@scriptorium/sanitizer/sanitize';
import { collectResults, openedBlob } from '@scriptorium/shared/blob/exchange';
import { createMemoryBlobStore } from '@scriptorium/testing/memory-blob-store';
import type { Engine } from '../../src/engines/engine.ts';
import { convertRowsWith, type RowsParts } from '../../src/rows/convert-rows.ts';
import { convertRowsHandler } from '../../src/rows/rows-handler.ts';
import type { comparisonThread, Finish } from '../../src/threads/threads.ts';
import { textOf } from './pdf-text.ts';

const OPTIONS = conversion.parse(convertOptions.parse({ from: 'docx' }));

interface PackParts {
  engine: Engine;
  comparison: ReturnType<typeof comparisonThread>;
}

/** Runs a pack through the handler. `parts` are the numbers from 1 on in `list`. */
export async function convertPackWith(
  { engine, comparison }: PackParts,
  list: { forms: object[]; rows: object[] },
  parts: Buffer[],
  more: { options?: Partial<Conversion>; thenSign?: object; signal?: AbortSignal; by?: Engine } = {},
) {
  const events: unknown[] = [];
  const blobs = createMemoryBlobStore();
  const source = packParts([Buffer.from(JSON.stringify(list)), ...parts]);
  await blobs.put('source', source, 60_000);
  const convertParts: RowsParts = {
    engines: [more.by ?? engine],
    prepare: ({ bytes, options }) => prepare(Buffer.from(bytes), options),
    fonts: { substituteFor: async () => undefined, missingScripts: async () => [] },
    finish: async ({ bytes, claims }: Parameters<Finish>[0]) => ({ ...conform(bytes, claims), removed: [] }),
    draw: () => Promise.reject(new Error('no image is asked for')),
    onRemoved: () => {},
    compare: comparison.compare,
    events: { formFailed: (reason) => events.push(reason), different: (found) => events.push(found) },
  };
  const deadlineAt = Date.now() + 60_000;
  const { keep, kept } = collectResults('req_1', deadlineAt);
  const input = convertRowsJob.input.parse({
    source: { key: 'source', bytes: source.length },
    options: { ...OPTIONS, ...more.options },
    thenSign: more.thenSign,
  });
  const signal = more.signal ?? new AbortController().signal;
  const context = { requestId: 'req_1', deadlineAt, signal, keep };
  const { output, next } = await convertRowsHandler(convertRowsWith(convertParts), blobs)(input, context);
  const bytesOf = (ref: BlobRef) =>
    openedBlob(ref, kept.find(({ key }) => key === ref.key)?.bytes ?? null) ?? Buffer.alloc(0);
  const pack = openPack(bytesOf(output.result), finishedRows);
  const texts = pack.list.rows.map((row) => {
    if (!('document' in row)) return row;
    const { document } = row;
    return textOf('part' in document ? pack.part(document.part) : bytesOf(document.blob));
  });
  return { ...pack.list, texts, events, next, kept };
}

export const report = {
  filled: 1,
  unmatched: { count: 0, names: [] },
  signaturesRemoved: false,
  macrosRemoved: false,
  linksRemoved: false,
  partsRemoved: false,
  contentRemoved: [],
};
