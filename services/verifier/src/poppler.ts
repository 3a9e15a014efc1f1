import {
  type ComparedRevisions,
  type ComparisonRequest,
  compareRevisions,
} from '@scriptorium/rendering/compare-revisions';
import {
  halfOf,
  type Raster,
  type ReaderFile,
  type ReaderPage,
  type ReaderPdf,
  type Region,
  RenderingError,
  type RenderOptions,
  scaleOf,
} from '@scriptorium/rendering/reader';
import { PopplerConnection } from './poppler-connection.ts';

/** The slots of `second-reader/serve.c`. */
const SLOTS = [0, 1, 2];
const HIDDEN_CHARS_MAX = 60_000;
const BYTES_OF_PIXEL = 4;
/** Then pages that no update touched are read, but not drawn: pages of scanned paper take 70 ms each. */
const DRAWN_CPU_MS_MAX = 1_000;

export interface PopplerOptions {
  /** The name for `PopplerHost`. */
  name: string;
  timeoutMs?: number | undefined;
}

/** Compares revisions as Poppler draws them, in a process of its own. Also returns the processor time of that process. */
export async function compareWithPoppler(
  request: ComparisonRequest,
  options: PopplerOptions,
): Promise<{ compared: ComparedRevisions; cpuMs: number }> {
  const [first = NO_PASSWORD, second] = passwordForms(request.password);
  const found = await compareIn(request, first, options);
  if (second === undefined || found.compared.readings.length > 0) return found;
  return compareIn(request, second, options);
}

const NO_PASSWORD = Buffer.alloc(0);

/**
 * Poppler takes the password as UTF-8, and makes Latin-1 of it. Newer encryption (ISO 32000-2, 7.6.4) is with UTF-8, so it
 * first gets what becomes UTF-8.
 */
function passwordForms(password = ''): Buffer[] {
  const bytes = Buffer.from(password);
  return bytes.length === password.length ? [bytes] : [Buffer.from(bytes.toString('latin1')), bytes];
}

async function compareIn(
  request: ComparisonRequest,
  password: Buffer,
  { name, timeoutMs }: PopplerOptions,
): Promise<{ compared: ComparedRevisions; cpuMs: number }> {
  const reader = new PopplerConnection(name, timeoutMs);
  try {
    const compared = await compareRevisions(request, async (bytes) => {
      reader.send(`${password.length} ${bytes.length}\n`, password, bytes);
      return fileIn(reader);
    });
    return { compared, cpuMs: reader.cpuMs };
  } finally {
    reader.close();
  }
}

function fileIn(reader: PopplerConnection): ReaderFile {
  const free = [...SLOTS];
  const drawn = new Map<number, boolean>();
  const isDrawn = (index: number) => {
    const is = drawn.get(index) ?? reader.cpuMs < DRAWN_CPU_MS_MAX;
    drawn.set(index, is);
    return is;
  };
  return {
    async open(end) {
      const slot = free.pop();
      if (slot === undefined) throw new Error('too many revisions are open');
      try {
        const { words } = await reader.ask(`open ${slot} ${end}`, 'Poppler cannot read the document.');
        const [pages = 0, signatureFields] = words.map(Number);
        return pdfIn(reader, { slot, isDrawn }, { pages, signatureFields, close: () => free.push(slot) });
      } catch (error) {
        free.push(slot);
        throw error;
      }
    },
    close() {},
  };
}

/** Poppler does not say which bytes a signature covers. */
const pdfIn = (
  reader: PopplerConnection,
  { slot, isDrawn }: { slot: number; isDrawn(index: number): boolean },
  opened: Pick<ReaderPdf, 'pages' | 'signatureFields' | 'close'>,
): ReaderPdf => ({
  ...opened,
  signatures: [],
  async page(index) {
    const { words } = await reader.ask(`page ${slot} ${index}`, unreadable(index));
    return new PopplerPage(reader, { slot, index }, words.map(Number));
  },
  async digests(index) {
    const order = `look ${slot} ${index} ${Number(isDrawn(index))}`;
    const { words } = await reader.ask(order, unreadable(index));
    const [pictures = '', text = '', values = ''] = words;
    return { pictures, text, values };
  },
});

const unreadable = (index: number): string => `Poppler cannot read page ${index + 1}.`;

class PopplerPage implements ReaderPage {
  readonly #reader: PopplerConnection;
  readonly #at: { slot: number; index: number };
  readonly #points: readonly [number, number];

  constructor(
    reader: PopplerConnection,
    at: { slot: number; index: number },
    [across = 0, down = 0]: number[],
  ) {
    if (!(across > 0 && down > 0)) throw new RenderingError('UNREADABLE', unreadable(at.index));
    this.#reader = reader;
    this.#at = at;
    this.#points = [across, down];
  }

  get scale(): number {
    return scaleOf(this.#points, this.#at.index);
  }

  get width(): number {
    return Math.max(1, Math.round(this.#points[0] * this.scale));
  }

  get height(): number {
    return Math.max(1, Math.round(this.#points[1] * this.scale));
  }

  async render({ hidden = [], isPrinted = false, region }: RenderOptions = {}): Promise<Raster> {
    const { slot, index } = this.#at;
    const list = this.#listOf(hidden);
    const { x, y, width, height } = region ?? { x: 0, y: 0, width: this.width, height: this.height };
    const size = `${this.width} ${this.height} ${x} ${y} ${width} ${height}`;
    const order = `draw ${slot} ${index} ${size} ${Number(isPrinted)} ${list}`;
    const { body } = await this.#reader.ask(order, unreadable(index), () => BYTES_OF_PIXEL * width * height);
    return { width, height, pixels: body };
  }

  async saysTheSame(hidden: readonly number[], other: PopplerPage, otherHidden: readonly number[]) {
    await this.#keepText(hidden);
    await other.#keepText(otherHidden);
    const { slot, index } = this.#at;
    const { words } = await this.#reader.ask(`same ${slot} ${other.#at.slot}`, unreadable(index));
    return words[0] === '1';
  }

  async #keepText(hidden: readonly number[]): Promise<void> {
    const { slot, index } = this.#at;
    await this.#reader.ask(`text ${slot} ${index} ${this.#listOf(hidden)}`, unreadable(index));
  }

  #listOf(hidden: readonly number[]): string {
    const list = hidden.join(',') || '-';
    if (list.length <= HIDDEN_CHARS_MAX) return list;
    throw new RenderingError('TOO_LARGE', `Page ${this.#at.index + 1} has too many changed annotations.`);
  }

  async differenceTo(other: PopplerPage, isPrinted: boolean): Promise<Region | undefined> {
    const { slot, index } = this.#at;
    const order = `compare ${slot} ${other.#at.slot} ${index} ${halfOf(this).join(' ')} ${Number(isPrinted)}`;
    const { words } = await this.#reader.ask(order, unreadable(index));
    const [x = 0, y = 0, width = 0, height = 0] = words.map(Number);
    return width > 0 ? { x, y, width, height } : undefined;
  }

  close(): void {}
}
