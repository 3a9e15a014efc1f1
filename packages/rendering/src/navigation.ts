import type { Pdfium } from './pdfium.ts';

/** More of either are not read. */
const LINKS_MAX = 10_000;
const ENTRIES_MAX = 10_000;
const URI_BYTES_MAX = 65_536;
const SLOTS = 8;
const SLOT_BYTES = 4;

/** Memory of PDFium for the results of one call. */
class Slots {
  readonly #pdfium: Pdfium;
  readonly at: number;

  constructor(pdfium: Pdfium) {
    this.#pdfium = pdfium;
    this.at = pdfium.pdfium.wasmExports.malloc(SLOTS * SLOT_BYTES);
    pdfium.pdfium.HEAPU8.fill(0, this.at, this.at + SLOTS * SLOT_BYTES);
  }

  slot(index: number): number {
    return this.at + index * SLOT_BYTES;
  }

  integers(): Int32Array {
    return new Int32Array(this.#pdfium.pdfium.HEAPU8.buffer, this.at, SLOTS);
  }

  floats(): Float32Array {
    return new Float32Array(this.#pdfium.pdfium.HEAPU8.buffer, this.at, SLOTS);
  }

  free(): void {
    this.#pdfium.pdfium.wasmExports.free(this.at);
  }
}

/** The links of a page: their areas, and where they lead. Equal pages have equal lists. */
export function linksOf(pdfium: Pdfium, document: number, page: number): string[] {
  const slots = new Slots(pdfium);
  const links: string[] = [];
  try {
    while (links.length < LINKS_MAX && pdfium.FPDFLink_Enumerate(page, slots.slot(0), slots.slot(1))) {
      const link = slots.integers()[1] ?? 0;
      pdfium.FPDFLink_GetAnnotRect(link, slots.slot(2));
      const area = [...slots.floats().subarray(2, 6)].map((side) => side.toFixed(1));
      const to = targetOf(pdfium, document, pdfium.FPDFLink_GetDest(document, link));
      const uri = uriOf(pdfium, document, pdfium.FPDFLink_GetAction(link));
      links.push(`${area.join(' ')}: ${to ?? uri}`);
    }
    return links;
  } finally {
    slots.free();
  }
}

/** The outline of a document: the title of each entry, its level, and where it leads. */
export function outlineOf(pdfium: Pdfium, document: number): string[] {
  const entries: string[] = [];
  const waiting = [{ entry: pdfium.FPDFBookmark_GetFirstChild(document, 0), level: 0 }];
  for (let next = waiting.pop(); next !== undefined && entries.length < ENTRIES_MAX; next = waiting.pop()) {
    const { entry, level } = next;
    if (entry === 0) continue;
    const to = targetOf(pdfium, document, pdfium.FPDFBookmark_GetDest(document, entry));
    const uri = uriOf(pdfium, document, pdfium.FPDFBookmark_GetAction(entry));
    entries.push(`${level} ${titleOf(pdfium, entry)}: ${to ?? uri}`);
    waiting.push({ entry: pdfium.FPDFBookmark_GetNextSibling(document, entry), level });
    waiting.push({ entry: pdfium.FPDFBookmark_GetFirstChild(document, entry), level: level + 1 });
  }
  return entries;
}

/** The page and the place on it; undefined without a destination. */
function targetOf(pdfium: Pdfium, document: number, destination: number): string | undefined {
  if (destination === 0) return undefined;
  const slots = new Slots(pdfium);
  const at = (index: number): number => slots.slot(index);
  pdfium.FPDFDest_GetLocationInPage(destination, at(0), at(1), at(2), at(3), at(4), at(5));
  const place = [...slots.floats().subarray(3, 5)].map((value) => value.toFixed(1));
  slots.free();
  return `page ${pdfium.FPDFDest_GetDestPageIndex(document, destination)} at ${place.join(' ')}`;
}

function uriOf(pdfium: Pdfium, document: number, action: number): string {
  if (action === 0) return 'nothing';
  return read(pdfium, 'latin1', (buffer, size) =>
    pdfium.FPDFAction_GetURIPath(document, action, buffer, size),
  );
}

const titleOf = (pdfium: Pdfium, entry: number): string =>
  read(pdfium, 'utf16le', (buffer, size) => pdfium.FPDFBookmark_GetTitle(entry, buffer, size));

/** PDFium returns the size of a text if it gets no buffer. */
function read(
  pdfium: Pdfium,
  encoding: 'latin1' | 'utf16le',
  write: (buffer: number, size: number) => number,
): string {
  const size = Math.min(write(0, 0), URI_BYTES_MAX);
  if (size === 0) return '';
  const buffer = pdfium.pdfium.wasmExports.malloc(size);
  write(buffer, size);
  const text = Buffer.from(pdfium.pdfium.HEAPU8.slice(buffer, buffer + size)).toString(encoding);
  pdfium.pdfium.wasmExports.free(buffer);
  return text.replace(/\0+$/, '');
}
