import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { type FileHandle, open, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { CliError } from '../cli-error.ts';
import type { InputRow } from './input-rows.ts';

/** The file in the folder of a batch that lists which rows have their document. */
const NAME = '.scriptorium-batch.ndjson';

interface Entry {
  row: number;
  digest: string;
  file: string;
  bytes: number;
}

/** Remembers which rows of a batch are done, so that a batch that was interrupted can go on. */
export class Journal {
  readonly #folder: string;
  readonly #handle: FileHandle;
  readonly #done: Map<number, Entry>;

  private constructor(folder: string, handle: FileHandle, done: Map<number, Entry>) {
    this.#folder = folder;
    this.#handle = handle;
    this.#done = done;
  }

  /**
   * Opens the journal of a folder, or starts one. `batch` is what all documents depend on: template, format and options. Throws
   * USAGE if the folder has the documents of another batch, unless `isAnew`.
   */
  static async open(folder: string, batch: object, isAnew: boolean): Promise<Journal> {
    const path = join(folder, NAME);
    if (isAnew) await rm(path, { force: true });
    const head = createHash('sha256').update(JSON.stringify(batch)).digest('hex');
    const lines = await linesOf(path);
    const [first] = lines;
    if (first !== undefined && (first as { batch?: string }).batch !== head)
      throw new CliError(
        'USAGE',
        `${folder} has documents of another template or with other options. Use another folder, or --restart.`,
      );
    const handle = await open(path, 'a', 0o644);
    // The line before may have been cut off when the process was killed.
    await handle.appendFile(first === undefined ? `${JSON.stringify({ batch: head })}\n` : '\n');
    const entries = lines.slice(1).filter((line): line is Entry => typeof (line as Entry)?.row === 'number');
    return new Journal(folder, handle, new Map(entries.map((entry) => [entry.row, entry])));
  }

  /** Whether a row has its document already: made from the same data, and still there as a whole. */
  async has({ number, digest }: InputRow): Promise<boolean> {
    const entry = this.#done.get(number);
    if (entry === undefined || entry.digest !== digest) return false;
    const found = await stat(join(this.#folder, entry.file)).catch(() => undefined);
    return found?.isFile() === true && found.size === entry.bytes;
  }

  /** Notes that a row has its document. The document is written before. */
  async add({ number, digest }: InputRow, file: string, bytes: number): Promise<void> {
    await this.#handle.appendFile(
      `${JSON.stringify({ row: number, digest, file, bytes } satisfies Entry)}\n`,
    );
  }

  close(): Promise<void> {
    return this.#handle.close();
  }
}

/** The lines that are whole. */
async function linesOf(path: string): Promise<unknown[]> {
  if ((await stat(path).catch(() => undefined)) === undefined) return [];
  const lines: unknown[] = [];
  for await (const line of createInterface({ input: createReadStream(path) }))
    try {
      lines.push(JSON.parse(line));
    } catch {
      // An empty line, or one that was cut off: its row is made again.
    }
  return lines;
}
