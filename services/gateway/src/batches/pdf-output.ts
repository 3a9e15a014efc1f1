import { AppError, renamed } from '@scriptorium/contracts/errors';
import { joinRowsJob } from '@scriptorium/contracts/jobs/rows';
import { invalid } from '@scriptorium/shared/http/validation';
import { takeResult } from '../documents/blobs.ts';
import type { Reply } from '../http/context.ts';
import type { BatchParts } from './batch-parts.ts';
import type { BatchEnd, BatchOutput } from './outcomes.ts';
import { PacedWriter } from './paced-writer.ts';
import { loadDocument, type Outcome, type RowError } from './pack-client.ts';
import { StagedDocuments } from './staged-documents.ts';

const ROWS_MAX = 2_000;
const BYTES_MAX = 200 * 1024 * 1024;
/** The title of the PDF if its documents have no title in common. */
const TITLE = 'Documents';
const SLICE_BYTES = 256 * 1024;

/**
 * Answers with one PDF of all documents, when they are all there. A failed row, or too many or too large documents, are an
 * error of the whole request, because nothing has been sent before.
 */
export function pdfOutput(response: Reply, { documents: parts, deadlineMs }: BatchParts): BatchOutput {
  const { requestId, receivedAt, signal } = response.locals;
  const deadlineAt = receivedAt + deadlineMs;
  const staged = new StagedDocuments(parts.blobs, requestId);
  response.once('close', () => void staged.close());
  let bytes = 0;
  let failed = 0;

  const add = async ({ row, document }: Extract<Outcome, { document: unknown }>): Promise<void> => {
    if (!Buffer.isBuffer(document)) throw new Error('the document was not loaded');
    bytes += document.length;
    if (bytes > BYTES_MAX)
      throw new AppError(
        'PAYLOAD_TOO_LARGE',
        `The documents exceed the limit of ${BYTES_MAX} bytes for one PDF.`,
      );
    await staged.add(row.name ?? String(row.id ?? row.index + 1), document);
  };

  const joined = async (): Promise<{ pdf: Buffer; warnings: readonly string[] }> => {
    const packs = await staged.all();
    const { jobs } = parts.clients.of(joinRowsJob);
    const { output } = await jobs.run(
      { packs, bytesMax: BYTES_MAX, title: TITLE },
      {
        requestId: `${requestId}.join`,
        deadlineAt,
        signal,
        waitMsMax: Math.max(1, deadlineAt - Date.now()),
        priority: 0,
        blobs: [],
      },
    );
    return { pdf: await takeResult(parts.blobs, output.result), warnings: output.warnings };
  };

  return {
    isWhole: true,
    unblocked: async () => {},
    load: (outcome) => loadDocument(outcome, parts.blobs),
    async row(outcome) {
      if (outcome.row.index >= ROWS_MAX) throw tooManyRows();
      if (Date.now() > deadlineAt) throw late(deadlineMs);
      if ('document' in outcome) await add(outcome);
      else failed += 1;
    },
    async end(end) {
      const { rows } = summaryOf(end);
      if (failed === rows) throw new AppError('UNPROCESSABLE', 'No row of the batch has a document.');
      const { pdf, warnings } = await joined();
      response.setHeader('Content-Type', 'application/pdf');
      response.setHeader('Content-Disposition', 'attachment; filename="documents.pdf"');
      response.setHeader('Content-Length', pdf.length);
      response.setHeader('X-Rows-Done', rows - failed);
      response.setHeader('X-Rows-Failed', failed);
      if (warnings.length > 0) response.setHeader('X-Join-Warnings', warnings.join(', '));
      const writer = new PacedWriter(response);
      for (let start = 0; start < pdf.length; start += SLICE_BYTES)
        await writer.write(pdf.subarray(start, start + SLICE_BYTES));
      response.end();
    },
  };
}

function summaryOf(end: BatchEnd) {
  if ('summary' in end) return end.summary;
  throw errorOf(end.error, end.failedIndex);
}

/** The error of a row has the paths that its fields have in the whole request. */
function errorOf({ code, message, details }: RowError, index: number | undefined): AppError {
  const error = new AppError(code, message, details && { details });
  return index === undefined ? error : renamed(error, (field) => `rows[${index}].${field}`);
}

const tooManyRows = (): AppError =>
  invalid([{ field: 'rows', issue: `must have at most ${ROWS_MAX} entries for one PDF` }]);

const late = (ms: number): AppError =>
  new AppError('DEADLINE_EXCEEDED', `The documents were not ready within ${ms} ms.`);
