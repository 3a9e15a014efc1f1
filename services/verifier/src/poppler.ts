import {
  type ComparedRevisions,
  type ComparisonRequest,
  compareRevisions,
} from '@scriptorium/rendering/compare-revisions';
import {
  type Raster,
  type ReaderFile,
  type ReaderPage,
  type ReaderPdf,
  RenderingError,
  scaleOf,
} from '@scriptorium/rendering/reader';
import { PopplerConnection } from './poppler-connection.ts';

/** Of `second-reader/serve.c`. */
const SLOTS = [0, 1, 2];
const HIDDEN_CHARS_MAX = 60_000;
const BYTES_OF_PIXEL = 4;
const WHITE = 255;

export interface PopplerOptions {
  /** Of `PopplerHost`. */
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
  const pictures = new Pictures(reader);
  return {
    async open(end) {
      const slot = free.pop();
      if (slot === undefined) throw new Error('too many revisions are open');
      try {
        const { words } = await reader.ask(`open ${slot} ${end}`, 'Poppler cannot read the document.');
        return pdfIn(pictures, slot, { pages: Number(words[0]), close: () => free.push(slot) });
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
  pictures: Pictures,
  slot: number,
  { pages, close }: Pick<ReaderPdf, 'pages' | 'close'>,
): ReaderPdf => ({
  pages,
  signatures: [],
  async page(index) {
    const { words } = await pictures.reader.ask(`page ${slot} ${index}`, unreadable(index));
    return pageIn(pictures, `${slot} ${index}`, words.map(Number), index);
  },
  close,
});

const unreadable = (index: number): string => `Poppler cannot read page ${index + 1}.`;

/** The process sends the rows of a picture that differ from the picture before. */
class Pictures {
  readonly reader: PopplerConnection;
  #last: Raster | undefined;

  constructor(reader: PopplerConnection) {
    this.reader = reader;
  }

  async draw(order: string, { width, height }: Omit<Raster, 'pixels'>, unreadable: string): Promise<Raster> {
    const stride = BYTES_OF_PIXEL * width;
    const { body } = await this.reader.ask(order, unreadable, ([rows]) =>
      Number(rows) <= height ? height + stride * Number(rows) : Number.NaN,
    );
    const isSame = body.length === height;
    const last = this.#last?.width === width && this.#last.height === height ? this.#last : undefined;
    if (last && isSame) return last;
    const pixels = last?.pixels.slice() ?? new Uint8Array(stride * height).fill(WHITE);
    let from = height;
    for (let row = 0; row < height; row++) {
      if (body[row] !== 1) continue;
      pixels.set(body.subarray(from, from + stride), row * stride);
      from += stride;
    }
    this.#last = { width, height, pixels };
    return this.#last;
  }
}

function pageIn(
  pictures: Pictures,
  place: string,
  [across = 0, down = 0]: number[],
  index: number,
): ReaderPage {
  if (!(across > 0 && down > 0)) throw new RenderingError('UNREADABLE', unreadable(index));
  const scale = scaleOf([across, down], index);
  const [width, height] = [across, down].map((side) => Math.max(1, Math.round(side * scale))) as [
    number,
    number,
  ];
  return {
    scale,
    async render({ hidden = [], isPrinted = false } = {}) {
      const list = hidden.join(',') || '-';
      if (list.length > HIDDEN_CHARS_MAX)
        throw new RenderingError('TOO_LARGE', `Page ${index + 1} has too many changed annotations.`);
      const order = `draw ${place} ${width} ${height} ${isPrinted ? 1 : 0} ${list}`;
      return pictures.draw(order, { width, height }, unreadable(index));
    },
    close() {},
  };
}
