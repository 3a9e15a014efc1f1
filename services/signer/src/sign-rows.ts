import type { AppError } from '@scriptorium/contracts/errors';
import {
  type FinishedRows,
  finishedRows,
  newPack,
  openPack,
  type Place,
  type signRowsJob,
} from '@scriptorium/contracts/jobs/rows';
import { getInput, onOwnBytes } from '@scriptorium/shared/blob/exchange';
import type { BlobStore } from '@scriptorium/shared/blob/store';
import type { JobHandler } from '@scriptorium/shared/queue/job-handler';
import { toAppError } from '@scriptorium/shared/to-app-error';
import type { z } from 'zod';
import { type Opening, readRequest } from './handler.ts';
import type { SignThreads } from './sign-threads.ts';

type FinishedRow = FinishedRows['rows'][number];

export interface SignRowsParts {
  threads: Pick<SignThreads, 'sign'>;
  blobs: BlobStore;
  opening: Opening;
  /** Called for each row that the service fails to sign, for the log. */
  onFailure(requestId: string, error: AppError): void;
}

/**
 * Signs the documents of a pack one by one, after those of single requests. A document that cannot be signed is an error
 * of its row. Rows without a document stay as they are.
 */
export function signRowsHandler({
  threads,
  blobs,
  opening,
  onFailure,
}: SignRowsParts): JobHandler<z.output<typeof signRowsJob.input>, z.input<typeof signRowsJob.output>> {
  return async (input, { requestId, signal, keep }) => {
    const startedAt = performance.now();
    const [bytes, request] = await Promise.all([
      getInput(blobs, input.source),
      readRequest(blobs, opening, input, batchOf(requestId)),
    ]);
    const { list, part } = openPack(bytes, finishedRows);
    const pack = newPack<FinishedRows>(keep);
    const sign = async (document: Place) => {
      const source =
        'part' in document ? Buffer.from(part(document.part)) : await getInput(blobs, document.blob);
      const signed = await onOwnBytes([source], () =>
        threads.sign({ source, ...request }, signal, { isPatient: true }),
      );
      return { document: pack.add(signed.bytes), reply: pack.add(Buffer.from(JSON.stringify(signed.reply))) };
    };
    const rows: FinishedRow[] = [];
    for (const row of list.rows) {
      if (!('document' in row)) {
        rows.push(row);
        continue;
      }
      try {
        rows.push({ ...row, ...(await sign(row.document)) });
      } catch (error) {
        const failed = toAppError(error);
        // The store, the threads or the keys: it befalls other rows as well, and the gateway sends the pack again.
        if (signal.aborted || failed.code === 'UNAVAILABLE') throw failed;
        if (failed.status >= 500) onFailure(requestId, failed);
        const { code, message, details } = failed;
        rows.push({ error: { code, message, ...(details && { details }) } });
      }
    }
    const result = keep(pack.bytes({ ...list, rows }));
    return { output: { result, runMs: performance.now() - startedAt } };
  };
}

/** The gateway seals keys for the batch. The id of a pack is that of its batch with a number: `req_1.7`. */
function batchOf(packId: string): string {
  return packId.slice(0, packId.lastIndexOf('.'));
}
