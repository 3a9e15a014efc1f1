import { type BlobRef, type NextStep, nextStep } from '@scriptorium/contracts/define-job';
import { AppError } from '@scriptorium/contracts/errors';
import {
  convertRowsJob,
  type FilledRows,
  type FinishedRows,
  type fillRowsJob,
  newPack,
  openPack,
  requestedRows,
  signRowsJob,
} from '@scriptorium/contracts/jobs/rows';
import { getInput } from '@scriptorium/shared/blob/exchange';
import type { BlobStore } from '@scriptorium/shared/blob/store';
import type { JobHandler } from '@scriptorium/shared/queue/job-handler';
import { asBuffer } from '@scriptorium/shared/threads/thread';
import { toAppError } from '@scriptorium/shared/to-app-error';
import type { z } from 'zod';
import type { FilledGroup, FilledRow, GroupTask, RowTask, SentError } from './fill-group.ts';
import { type FormedRow, type PackForms, withForms } from './form-pack.ts';
import { withShortNames } from './handler.ts';
import type { TemplateBytes } from './template-bytes.ts';
import type { AnnotateThreads } from './threads.ts';

/** Rows that a thread gets at a time. It may return fewer. */
const GROUP_ROWS_MAX = 16;

type FillRowsInput = z.output<typeof fillRowsJob.input>;
type MadeRow = FilledRows['rows'][number];

export interface FillRowsParts {
  threads: Pick<AnnotateThreads, 'fillRows' | 'fillForms'>;
  blobs: BlobStore;
  templates: TemplateBytes;
  /** Called for each row that the service fails to fill, for the log. */
  onFailure(requestId: string, error: AppError): void;
}

/**
 * Fills the rows of a pack, in groups of a few milliseconds. A row that fails is an entry of the result. Throws what is
 * wrong with the template; an empty pack only looks for that, and is not forwarded.
 */
export function fillRowsHandler(
  parts: FillRowsParts,
): JobHandler<FillRowsInput, z.input<typeof fillRowsJob.output>> {
  return async (input, { requestId, signal, keep }, share) => {
    const startedAt = performance.now();
    const { list, part } = openPack(await getInput(parts.blobs, input.rows), requestedRows);
    const rows = list.map(({ images, ...row }): RowTask => {
      const own = { images: images === undefined ? undefined : copyOf(part(images)) };
      return 'data' in row
        ? { data: copyOf(part(row.data)), ...own }
        : { fields: copyOf(part(row.fields)), ...own };
    });
    const filled = await fillWays(parts, input, rows, { signal, owner: share?.owner });
    for (const row of filled.rows)
      if ('error' in row && row.error.code === 'INTERNAL_ERROR')
        parts.onFailure(requestId, appError(row.error));
    const { bytes, blobs } = packOf(input, filled, keep);
    const result = keep(bytes);
    const next = list.length === 0 ? undefined : stepAfter(input, result);
    return {
      output: { result, runMs: performance.now() - startedAt },
      // The blobs to which the pack refers must stay, too.
      next: next && { ...next, blobs: [...next.blobs, ...blobs] },
    };
  };
}

/** A message to a thread copies the whole memory behind each of its parts, here that of the pack. */
function copyOf(bytes: Uint8Array): Buffer {
  return asBuffer(new Uint8Array(bytes));
}

/** Fills all rows, and puts those that share a form into it. Others, and those that are compared, have documents. */
async function fillWays(
  parts: FillRowsParts,
  input: FillRowsInput,
  rows: readonly RowTask[],
  run: PackRun,
): Promise<PackForms> {
  const way = input.thenConvert === undefined ? 'plain' : input.way;
  const filled = await fillPack(parts, { ...input, way }, rows, run);
  if (way === 'plain') return { rows: filled, forms: [] };
  const pack = await withForms(filled, { way, checked: input.checked }, async (task) => {
    const shared = { ...sharedOf(input, rows, run), rows: task.at.flatMap((at) => rows[at] ?? []) };
    const { at: _at, ...own } = task;
    return await withTemplate(
      (source) => parts.threads.fillForms({ ...shared, ...source, ...own }, run.signal, { isPatient: true }),
      () => parts.templates.get(input.template),
    );
  });
  const late = [...pack.rows.entries()].filter(([, row]) => !('error' in row) && row.needsDocument);
  if (late.length === 0) return pack;
  const documents = await fillPack(
    parts,
    { ...input, way: 'plain' },
    late.flatMap(([at]) => rows[at] ?? []),
    run,
  );
  for (const [index, [at, row]] of late.entries()) {
    const made = documents[index];
    if (made === undefined || 'error' in row) continue;
    pack.rows[at] = 'error' in made ? made : { ...row, document: made.document };
  }
  return pack;
}

interface PackRun {
  signal: AbortSignal;
  owner: string | undefined;
}

const sharedOf = (
  { template, options, isForm }: FillRowsInput,
  rows: readonly RowTask[],
  { owner }: PackRun,
) => ({
  hash: template.hash,
  owner,
  options,
  isForm,
  isForData: rows.every((row) => 'data' in row),
});

async function fillPack(
  { threads, templates }: FillRowsParts,
  input: FillRowsInput,
  rows: readonly RowTask[],
  run: PackRun,
): Promise<FilledRow[]> {
  const done: FilledRow[] = [];
  const { template, way } = input;
  const { signal } = run;
  const shared = { ...sharedOf(input, rows, run), way };
  /** A row that has ended its thread. Those before it are filled again. */
  let failed: { at: number; row: FilledRow } | undefined;
  let isAgain = false;
  do {
    const from = done.length;
    if (failed?.at === from) {
      done.push(failed.row);
      failed = undefined;
      continue;
    }
    const group = rows.slice(from, Math.min(from + GROUP_ROWS_MAX, failed?.at ?? rows.length));
    const task = { ...shared, rows: group, begun: new Int32Array(new SharedArrayBuffer(4)) };
    const filling = fillGroup(threads, task, () => templates.get(template), signal);
    const filled = await filling.catch((error: unknown) => overLimit(error, signal));
    if ('error' in filled) {
      const begun = Atomics.load(task.begun, 0);
      // The template, or a busy machine, and not one of the rows.
      if (begun === 0 && isAgain) throw appError(filled.error);
      isAgain = begun === 0;
      if (begun > 0) failed = { at: from + begun - 1, row: filled };
      continue;
    }
    if ('templateError' in filled) throw appError(filled.templateError);
    done.push(...filled.rows);
  } while (done.length < rows.length);
  return done;
}

/** Fills the next rows of a pack after all requests of single documents. */
async function fillGroup(
  threads: FillRowsParts['threads'],
  task: GroupTask,
  template: () => Promise<Buffer>,
  signal: AbortSignal,
): Promise<FilledGroup> {
  return await withTemplate(
    (source) => threads.fillRows({ ...task, ...source }, signal, { isPatient: true }),
    template,
  );
}

/** A thread gets the template only if it lacks it. */
async function withTemplate<Result extends object>(
  call: (source: { source?: Buffer }) => Promise<Result | { lacksTemplate: true }>,
  template: () => Promise<Buffer>,
): Promise<Result> {
  const known = await call({});
  if (!('lacksTemplate' in known)) return known;
  const filled = await call({ source: await template() });
  if ('lacksTemplate' in filled) throw new Error('a thread lacks a template that it was given');
  return filled;
}

/** The error of a thread that ended over a limit. Throws other errors. */
function overLimit(error: unknown, signal: AbortSignal): { error: SentError } {
  const { code, message, details, cause } = toAppError(error);
  if (signal.aborted || code !== 'DOCUMENT_TOO_COMPLEX') throw error;
  return { error: { code, message, details, cause } };
}

/** The pack for the next step, and the blobs to which it refers. */
function packOf(
  { thenConvert }: FillRowsInput,
  { rows, forms }: PackForms,
  keep: (bytes: Buffer) => BlobRef,
): { bytes: Buffer; blobs: readonly string[] } {
  if (thenConvert === undefined) {
    const pack = newPack<FinishedRows>(keep);
    const list = rows.map((row) => {
      if ('error' in row) return failed(row.error);
      if (row.document === undefined) throw new Error('a row has no document');
      return { document: pack.add(row.document), report: withShortNames(row.report) };
    });
    return { bytes: pack.bytes({ rows: list }), blobs: pack.blobs };
  }
  const pack = newPack<FilledRows>(keep);
  const list = rows.map((row: FormedRow): MadeRow => {
    if ('error' in row) return failed(row.error);
    const { document, values, plain, report } = row;
    return {
      ...(document && { document: pack.add(document) }),
      ...(values && { values }),
      ...(plain && { plain }),
      report: withShortNames(report),
    };
  });
  const places = forms.map(({ bytes, around }) => ({ document: pack.add(bytes), around }));
  return { bytes: pack.bytes({ forms: places, rows: list }), blobs: pack.blobs };
}

function failed({ code, message, details }: SentError) {
  return { error: { code, message, ...(details && { details }) } };
}

function appError({ code, message, details, cause }: SentError): AppError {
  return new AppError(code, message, { cause, ...(details && { details }) });
}

function stepAfter({ thenConvert, thenSign }: FillRowsInput, source: BlobRef): NextStep | undefined {
  if (thenConvert !== undefined) return nextStep(convertRowsJob, { source, options: thenConvert, thenSign });
  return thenSign && nextStep(signRowsJob, { ...thenSign, source });
}
