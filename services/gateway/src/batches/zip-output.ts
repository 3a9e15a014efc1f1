import type { BlobStore } from '@scriptorium/shared/blob/store';
import type { TARGET_CONTENT_TYPES } from '@scriptorium/shared/jobs/convert';
import { makeZip } from 'client-zip';
import type { Reply } from '../context.ts';
import { FileNames } from './file-names.ts';
import type { BatchOutput } from './outcomes.ts';
import { PacedWriter } from './paced-writer.ts';
import { loadDocument } from './pack-client.ts';

const ERRORS_NAME = 'errors.ndjson';
const SUMMARY_NAME = 'summary.json';
/** Beyond these bytes, the errors of an archive have only their codes. */
const ERRORS_BYTES_MAX = 4 * 1024 * 1024;

type Entry = { name: string; input: Uint8Array };

/**
 * Writes an archive of the documents as they are ready, with the failed rows and the summary at its end. It is a ZIP64 archive
 * (APPNOTE.TXT §4.3.9) where its size requires it. Documents are stored as they are: both types are compressed already.
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
  const entries = new Handover<Entry>();
  const errors = new ErrorList();
  const written = writeAll(makeZip(entries), writer);
  // `put` and `end` report it.
  written.catch((error) => entries.fail(error));

  return {
    unblocked: () => writer.unblocked(),
    load: (outcome) => loadDocument(outcome, blobs),
    async row(outcome) {
      const { index, id, name } = outcome.row;
      if ('error' in outcome) return errors.add({ index, id, error: outcome.error });
      if (!Buffer.isBuffer(outcome.document)) throw new Error('the document was not loaded');
      await entries.put({ name: names.of(index, name), input: outcome.document });
    },
    async end(end) {
      if (errors.bytes.length > 0) await entries.put({ name: ERRORS_NAME, input: errors.bytes });
      await entries.put({ name: SUMMARY_NAME, input: Buffer.from(`${JSON.stringify(end)}\n`) });
      entries.end();
      await written;
      response.end();
    },
  };
}

async function writeAll(archive: ReadableStream<Uint8Array>, writer: PacedWriter): Promise<void> {
  for await (const piece of archive) await writer.write(piece);
}

/** Passes items on to one reader, one at a time. */
class Handover<Item> implements AsyncIterable<Item> {
  #item = Promise.withResolvers<Item | undefined>();
  #taken = Promise.withResolvers<void>();
  #failure: { error: unknown } | undefined;

  /** Resolves when the reader asks for the next item: it has processed this one. */
  async put(item: Item): Promise<void> {
    if (this.#failure !== undefined) throw this.#failure.error;
    this.#item.resolve(item);
    await this.#taken.promise;
  }

  end(): void {
    this.#item.resolve(undefined);
  }

  /** The reader has failed. */
  fail(error: unknown): void {
    this.#failure = { error };
    this.#taken.promise.catch(() => undefined);
    this.#taken.reject(error);
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<Item> {
    for (let item = await this.#item.promise; item !== undefined; item = await this.#item.promise) {
      yield item;
      this.#item = Promise.withResolvers();
      this.#taken.resolve();
      this.#taken = Promise.withResolvers();
    }
  }
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
