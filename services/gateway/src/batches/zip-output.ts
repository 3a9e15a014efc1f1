import type { TARGET_CONTENT_TYPES } from '@scriptorium/contracts/jobs/convert';
import { ZipWriter } from '@scriptorium/ooxml/zip-writer';
import type { BlobStore } from '@scriptorium/shared/blob/store';
import type { Reply } from '../http/context.ts';
import { FileNames } from './file-names.ts';
import type { BatchOutput } from './outcomes.ts';
import { PacedWriter } from './paced-writer.ts';
import { loadDocument } from './pack-client.ts';

const ERRORS_NAME = 'errors.ndjson';
const SUMMARY_NAME = 'summary.json';
/** Beyond these bytes, the errors of an archive have only their codes. */
const ERRORS_BYTES_MAX = 4 * 1024 * 1024;

/**
 * Writes an archive of the documents as they are ready, with the failed rows and the summary at its end. Documents are stored
 * as they are: both types are compressed already.
 */
export function zipOutput(
  response: Reply,
  blobs: BlobStore,
  to: keyof typeof TARGET_CONTENT_TYPES,
): BatchOutput {
  response.setHeader('Content-Type', 'application/zip');
  response.setHeader('Content-Disposition', 'attachment; filename="documents.zip"');
  const writer = new PacedWriter(response);
  const names = new FileNames(to, [ERRORS_NAME, SUMMARY_NAME]);
  const archive = new ZipWriter({ isCompressed: false });
  const errors = new ErrorList();
  const write = async (pieces: readonly Buffer[]): Promise<void> => {
    for (const piece of pieces) await writer.write(piece);
  };

  return {
    unblocked: () => writer.unblocked(),
    load: (outcome) => loadDocument(outcome, blobs),
    async row(outcome) {
      const { index, id, name } = outcome.row;
      if ('error' in outcome) return errors.add({ index, id, error: outcome.error });
      if (!Buffer.isBuffer(outcome.document)) throw new Error('the document was not loaded');
      await write(archive.add({ name: names.of(index, name), data: outcome.document }));
    },
    async end(end) {
      if (errors.bytes.length > 0) await write(archive.add({ name: ERRORS_NAME, data: errors.bytes }));
      await write(archive.add({ name: SUMMARY_NAME, data: Buffer.from(`${JSON.stringify(end)}\n`) }));
      await write(archive.end());
      response.end();
    },
  };
}

/** The lines of the failed rows, within bounds. */
class ErrorList {
  readonly #lines: string[] = [];
  #bytes = 0;

  add({
    index,
    id,
    error,
  }: {
    index: number;
    id: string | number | undefined;
    error: { code: string };
  }): void {
    const whole = JSON.stringify({ index, id, error });
    const line =
      this.#bytes > ERRORS_BYTES_MAX ? JSON.stringify({ index, error: { code: error.code } }) : whole;
    this.#bytes += line.length;
    this.#lines.push(line);
  }

  get bytes(): Buffer {
    return Buffer.from(this.#lines.map((line) => `${line}\n`).join(''));
  }
}
