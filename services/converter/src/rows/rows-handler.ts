import { nextStep } from '@scriptorium/contracts/define-job';
import { chainsOf } from '@scriptorium/contracts/form-state';
import {
  type convertRowsJob,
  type FilledRows,
  type FinishedRows,
  filledRows,
  newPack,
  openPack,
  type Place,
  signRowsJob,
} from '@scriptorium/contracts/jobs/rows';
import { getInput } from '@scriptorium/shared/blob/exchange';
import type { BlobStore } from '@scriptorium/shared/blob/store';
import type { JobContext, JobHandler, JobShare } from '@scriptorium/shared/queue/job-handler';
import { asBuffer } from '@scriptorium/shared/threads/thread';
import { toAppError } from '@scriptorium/shared/to-app-error';
import type { z } from 'zod';
import type { ConvertContext } from '../conversion/convert.ts';
import type { RowForm } from '../engines/engine.ts';
import type { OpenPackConverter, PackConverter } from './convert-rows.ts';

type FilledRow = FilledRows['rows'][number];
type FinishedRow = FinishedRows['rows'][number];

/**
 * Converts the rows of a pack one after the other, those of a form together. Keeps the pack of results in the order of the rows.
 * A row that fails is an entry of the result. Throws if the request is canceled or late, or if the store is down.
 */
export function convertRowsHandler(
  openConverter: OpenPackConverter,
  blobs: BlobStore,
): JobHandler<z.output<typeof convertRowsJob.input>, z.input<typeof convertRowsJob.output>> {
  return async ({ source, options, thenSign }, context, share) => {
    const startedAt = performance.now();
    const { list, part } = openPack(await getInput(blobs, source), filledRows);
    // A message to a thread copies the whole memory behind its bytes, here that of the pack.
    const bytesAt = async (place: Place): Promise<Buffer> =>
      'part' in place ? asBuffer(new Uint8Array(part(place.part))) : await getInput(blobs, place.blob);
    const formAt = async (index: number): Promise<RowForm> => {
      const form = list.forms[index];
      if (form === undefined) throw new Error(`a pack lacks form ${index}`);
      return { bytes: await bytesAt(form.document), around: form.around };
    };
    const converter = openConverter(options, shared(context, share), formAt);
    const finished: FinishedRows = { rows: [] };
    const pack = newPack<FinishedRows>(context.keep);
    const work = { converter, bytesAt, context, finished, add: (bytes: Buffer) => pack.add(bytes) };
    try {
      for (const [at, row] of inOrder(list)) finished.rows[at] = await finish(work, row);
    } finally {
      await converter.close();
    }
    finished.rows = checkedRows(list, finished);
    const result = context.keep(pack.bytes(finished));
    const next = thenSign && nextStep(signRowsJob, { ...thenSign, source: result });
    return {
      output: { result, runMs: performance.now() - startedAt },
      // The blobs to which the pack refers must stay, too.
      next: next && { ...next, blobs: [...next.blobs, ...pack.blobs] },
    };
  };
}

/** A row that needs a document of its own takes no slot from single documents: it runs beside them, as all rows do. */
function shared({ signal, deadlineAt }: JobContext, share: JobShare | undefined): ConvertContext {
  return { signal, deadlineAt, slow: AbortSignal.abort(), ...(share && { spend: share.spend }) };
}

/** The rows with their positions: first those without a form, then those of each form. */
function inOrder({ rows, forms }: FilledRows): [number, FilledRow][] {
  const valuesOf = (row: FilledRow) => ('error' in row ? undefined : row.values);
  const all = [...rows.entries()];
  const ofForms = forms.flatMap(({ around }, form) => {
    const own = all.filter(([, row]) => valuesOf(row)?.form === form);
    const values = own.flatMap(([, row]) => valuesOf(row) ?? []);
    return chainsOf(values, around)
      .flat()
      .flatMap((at) => own.slice(at, at + 1));
  });
  return [...all.filter(([, row]) => valuesOf(row) === undefined), ...ofForms];
}

/**
 * A row that was made in the fast way only counts if the pack has no difference. If the pack has a row for the comparison of its
 * kind, that comparison must have taken place.
 */
function checkedRows(
  { rows }: FilledRows,
  { rows: made, compared, checked = [] }: FinishedRows,
): FinishedRow[] {
  const awaited = new Set(
    rows.flatMap((row) => ('error' in row || !row.document || !row.values ? [] : [row.values.kind])),
  );
  return made.map((own, at) => {
    const row = rows[at];
    if (!('document' in own) || row === undefined || 'error' in row || row.document || !row.values)
      return own;
    if (compared === 'different') return { again: compared };
    const { kind } = row.values;
    return awaited.has(kind) && !checked.includes(kind) ? { again: 'compared' } : own;
  });
}

interface RowWork {
  converter: PackConverter;
  bytesAt(place: Place): Promise<Buffer>;
  context: Pick<JobContext, 'signal' | 'deadlineAt'>;
  finished: FinishedRows;
  add(bytes: Buffer): Place;
}

async function finish(work: RowWork, row: FilledRow): Promise<FinishedRow> {
  if ('error' in row) return row;
  const { converter, context, finished } = work;
  const document = row.document && (await work.bytesAt(row.document));
  try {
    const { converted, isSame, unfilled } = await converter.convert({ document, values: row.values });
    // One difference counts for the pack.
    if (isSame !== undefined)
      finished.compared = isSame && finished.compared !== 'different' ? 'same' : 'different';
    if (isSame && row.values !== undefined)
      finished.checked = [...new Set([...(finished.checked ?? []), row.values.kind])];
    // One form that can be filled counts for the pack.
    if (unfilled === 'template' || row.plain === 'template') finished.isRefused ??= true;
    else if (row.values !== undefined) finished.isRefused = false;
    if (converted === undefined) return { again: unfilled ?? 'failed' };
    const plain = unfilled ?? (document && row.values ? 'compared' : row.plain);
    const { report } = row;
    return { document: work.add(converted.bytes), plain, report, conversion: converted.report };
  } catch (error) {
    if (context.signal.aborted || Date.now() >= context.deadlineAt) throw error;
    const { code, message, details } = toAppError(error);
    return { error: { code, message, ...(details && { details }) } };
  }
}
