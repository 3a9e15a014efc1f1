import type { Raster } from './raster.ts';
import type { PageDigests, ReaderFile, ReaderPage, ReaderPdf } from './reader.ts';
import { type RenderingCode, RenderingError } from './rendering-error.ts';

/** For the rasters that are kept for the next comparison. */
const KEPT_BYTES_MAX = 64 * 1024 * 1024;
/** For the pages of all revisions. */
const DIGESTS_MAX = 5_000;
/** Revisions that are open at a time. */
const OPEN_MAX = 3;

/** What the reader finds in the revision that ends at `end`. */
export interface Reading {
  end: number;
  pages: number;
  /** The byte ranges of the signatures that it finds. */
  signatures: number[][];
  signatureFields?: number | undefined;
}

/** The newer revision of most comparisons is the last one: it stays open, and its pages are kept. */
export class OpenRevisions {
  readonly readings = new Map<number, Reading>();
  readonly #file: ReaderFile;
  readonly #open = new Map<number, ReaderPdf>();
  readonly #kept = new Map<string, Raster>();
  #keptBytes = 0;
  readonly #digests = new Map<string, PageDigests>();

  constructor(file: ReaderFile) {
    this.#file = file;
  }

  async open(end: number): Promise<ReaderPdf> {
    const known = this.#open.get(end);
    if (known) {
      // The one that was used last is shut last.
      this.#open.delete(end);
      this.#open.set(end, known);
      return known;
    }
    const [oldest] = this.#open.keys();
    if (oldest !== undefined && this.#open.size >= OPEN_MAX) this.#shut(oldest);
    const opened = await this.#file.open(end);
    this.#open.set(end, opened);
    const { pages, signatures, signatureFields } = opened;
    this.readings.set(end, { end, pages, signatures, signatureFields });
    return opened;
  }

  /** Calls back with a page, and closes it. */
  async page<T>(end: number, index: number, work: (page: ReaderPage) => Promise<T>): Promise<T> {
    const page = await (await this.open(end)).page(index);
    try {
      return await work(page);
    } finally {
      page.close();
    }
  }

  /** The whole page, with all that it shows. */
  async whole(end: number, index: number): Promise<Raster> {
    const key = `${end} ${index}`;
    const known = this.#kept.get(key);
    if (known) return known;
    const raster = await this.page(end, index, async (page) => page.render());
    if (this.#keptBytes + raster.pixels.length > KEPT_BYTES_MAX) {
      this.#kept.clear();
      this.#keptBytes = 0;
    }
    this.#kept.set(key, raster);
    this.#keptBytes += raster.pixels.length;
    return raster;
  }

  /** What the page shows and says, in short, if the reader can report it. */
  async digests(end: number, index: number): Promise<PageDigests | undefined> {
    const key = `${end} ${index}`;
    const known = this.#digests.get(key);
    if (known) return known;
    if (this.#digests.size >= DIGESTS_MAX)
      throw new RenderingError('TOO_LARGE', `It has more than ${DIGESTS_MAX} pages in all revisions.`);
    const found = await (await this.open(end)).digests?.(index);
    if (found) this.#digests.set(key, found);
    return found;
  }

  close(): void {
    try {
      for (const end of [...this.#open.keys()]) this.#shut(end);
      this.#file.close();
    } catch (error) {
      // After an abort, the whole instance is dropped.
      failureOf(error);
    }
  }

  #shut(end: number): void {
    this.#open.get(end)?.close();
    this.#open.delete(end);
  }
}

/** What an expected error says. Throws others. */
export function failureOf(error: unknown): { code: RenderingCode; message: string } {
  if (!(error instanceof RenderingError)) throw error;
  return { code: error.code, message: error.message };
}
