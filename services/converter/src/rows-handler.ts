import { getInput } from '@scriptorium/shared/blob/exchange';
import { packParts } from '@scriptorium/shared/blob/pack';
import type { BlobStore } from '@scriptorium/shared/blob/store';
import {
  type convertRowsJob,
  type FinishedRows,
  filledRows,
  type OpenPack,
  openPack,
  PACKED_BYTES_MAX,
  type Place,
  signRowsJob,
} from '@scriptorium/shared/jobs/rows';
import { nextStep } from '@scriptorium/shared/queue/define-job';
import type { JobContext, JobHandler } from '@scriptorium/shared/queue/job-handler';
import { toAppError } from '@scriptorium/shared/to-app-error';
import type { z } from 'zod';
import type { OpenPackConverter, PackConverter } from './rows.ts';

type FilledPack = OpenPack<z.output<typeof filledRows>>;
type FilledRow = FilledPack['list']['rows'][number];
type FinishedRow = FinishedRows['rows'][number];

/** Converts the rows of a pack one after the other, and keeps the pack of results for the gateway or the signer. */
export function convertRowsHandler(
  openConverter: OpenPackConverter,
  blobs: BlobStore,
): JobHandler<z.output<typeof convertRowsJob.input>, z.input<typeof convertRowsJob.output>> {
  return async ({ source, options, thenSign }, context) => {
    const startedAt = performance.now();
    const pack = openPack(await getInput(blobs, source), filledRows);
    const bytesAt = async (place: Place): Promise<Buffer> =>
      'part' in place ? pack.part(place.part) : await getInput(blobs, place.blob);
    const { form } = pack.list;
    const converter = openConverter(options, context, async () => form && (await bytesAt(form)));
    try {
      const finished = new FinishedPack(context);
      for (const row of pack.list.rows)
        finished.add(await finish(row, converter, bytesAt, finished, context));
      const result = context.keep(finished.bytes());
      return {
        output: { result, runMs: performance.now() - startedAt },
        next: thenSign && nextStep(signRowsJob, { ...thenSign, source: result }),
      };
    } finally {
      await converter.close();
    }
  };
}

async function finish(
  row: FilledRow,
  converter: PackConverter,
  bytesAt: (place: Place) => Promise<Buffer>,
  finished: FinishedPack,
  { signal, deadlineAt }: Pick<JobContext, 'signal' | 'deadlineAt'>,
): Promise<FinishedRow> {
  if ('error' in row) return row;
  // The store is down: a fault of the whole pack.
  const document = row.document && (await bytesAt(row.document));
  try {
    const { converted, isSame } = await converter.convert({ document, texts: row.values });
    if (isSame !== undefined) finished.compared(isSame);
    if (converted === undefined) return { again: true };
    return { document: finished.place(converted.bytes), report: row.report, conversion: converted.report };
  } catch (error) {
    if (signal.aborted || Date.now() >= deadlineAt) throw error;
    const { code, message, details } = toAppError(error);
    return { error: { code, message, ...(details && { details }) } };
  }
}

/** Collects rows and their documents. */
class FinishedPack {
  readonly #keep: JobContext['keep'];
  readonly #documents: Buffer[] = [];
  readonly #list: FinishedRows = { rows: [] };

  constructor({ keep }: Pick<JobContext, 'keep'>) {
    this.#keep = keep;
  }

  add(row: FinishedRow): void {
    this.#list.rows.push(row);
  }

  /** Notes the comparison of a row. One difference counts for the pack. */
  compared(isSame: boolean): void {
    this.#list.compared = isSame && this.#list.compared !== 'different' ? 'same' : 'different';
  }

  place(bytes: Buffer): Place {
    if (bytes.length > PACKED_BYTES_MAX) return { blob: this.#keep(bytes) };
    return { part: this.#documents.push(bytes) };
  }

  bytes(): Buffer {
    return packParts([Buffer.from(JSON.stringify(this.#list)), ...this.#documents]);
  }
}
