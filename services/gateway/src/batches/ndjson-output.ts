import { TARGET_CONTENT_TYPES } from '@scriptorium/contracts/jobs/convert';
import type { BlobStore } from '@scriptorium/shared/blob/store';
import { base64Slices } from '../documents/answer.ts';
import type { Reply } from '../http/context.ts';
import { rowReport } from './batch-answer.ts';
import type { BatchOutput } from './outcomes.ts';
import { PacedWriter } from './paced-writer.ts';
import { type FinishedDocument, loadDocument, type Outcome } from './pack-client.ts';

/** An empty line after this time without an answer keeps proxies from closing the connection. */
const IDLE_MS = 10_000;

/** Writes a line of JSON for each row, and a last one with the summary or the reason of an early end. */
export function ndjsonOutput(response: Reply, blobs: BlobStore, to: 'docx' | 'pdf'): BatchOutput {
  response.setHeader('Content-Type', 'application/x-ndjson; charset=utf-8');
  const writer = new PacedWriter(response);
  const contentType = TARGET_CONTENT_TYPES[to];
  let isInLine = false;
  const timer = setInterval(() => {
    if (!isInLine && Date.now() - writer.writtenAt >= IDLE_MS) void writer.write('\n').catch(() => undefined);
  }, IDLE_MS / 10);
  response.once('close', () => clearInterval(timer));

  const writeDocument = async (outcome: Outcome & FinishedDocument): Promise<void> => {
    const { row, document: bytes, reply } = outcome;
    if (!Buffer.isBuffer(bytes)) throw new Error('the document was not loaded');
    const start = JSON.stringify({ index: row.index, id: row.id }).slice(0, -1);
    const more = { ...(reply && JSON.parse(reply.toString())), report: rowReport(outcome) };
    const head = `${start},"document":{"base64":"data:${contentType};base64,`;
    const tail = `","contentType":"${contentType}"},${JSON.stringify(more).slice(1)}\n`;
    await writer.write(head);
    for (const slice of base64Slices(bytes)) await writer.write(slice);
    await writer.write(tail);
  };

  return {
    unblocked: () => writer.unblocked(),
    load: (outcome) => loadDocument(outcome, blobs),
    async row(outcome) {
      isInLine = true;
      if ('document' in outcome) await writeDocument(outcome);
      else {
        const { row, error } = outcome;
        await writer.write(`${JSON.stringify({ index: row.index, id: row.id, error })}\n`);
      }
      isInLine = false;
    },
    async end(end) {
      clearInterval(timer);
      response.end(`${JSON.stringify(end)}\n`);
    },
  };
}
