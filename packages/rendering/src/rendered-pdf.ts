import { linksOf, outlineOf } from './navigation.ts';
import { dropIfLarge, dropPdfium, loadPdfium, type Pdfium } from './pdfium.ts';
import { differingRegion, type Raster, type Region } from './raster.ts';
import { halfOf, POINTS_PER_INCH, type RenderOptions, scaleOf } from './reader.ts';
import { RenderingError } from './rendering-error.ts';

/** A page at a resolution that the caller chose: A4 at 600 dpi has 35 million. */
const CHOSEN_PIXELS_MAX = 36_000_000;
const WHITE = 0xffffffff;
/** FPDF_ANNOT. Text is smoothed in gray only, as the default is without FPDF_LCD_TEXT. */
const WITH_ANNOTATIONS = 1;
const AS_PRINTED = 0x800;
/** Flags of annotations (ISO 32000-2, table 167). */
const [HIDDEN, PRINT, NO_VIEW] = [2, 4, 32];
/** FPDF_ANNOT_WIDGET. */
const WIDGET = 20;
const SIGNATURES_MAX = 1_000;
const INTEGER_BYTES = 4;

/** One page that PDFium has read. */
interface RenderedPage {
  /** Pixels per point of a raster. */
  readonly scale: number;
  readonly width: number;
  readonly height: number;
  /**
   * Renders the page as it is displayed, or printed: cropped, rotated, and with its annotations. Hidden ones are left out, by
   * their indices in its /Annots. Throws RenderingError.
   */
  render(options?: RenderOptions): Raster;
  /** Draws the whole page at half of the scale, in memory of PDFium. */
  half(isPrinted: boolean): Drawn;
  /** Where this page and another one look different at half of the scale. */
  differenceTo(other: RenderedPage, isPrinted: boolean): Region | undefined;
  /** The text of the page, as a reader would copy it. Throws RenderingError. */
  text(): string;
  /** The links of the page and where they lead. Equal pages have equal lists. */
  links(): string[];
  /** The pixels of an area of the page: left, bottom, right and top in units of its contents. */
  regionOf(area: readonly [number, number, number, number]): Region;
  close(): void;
}

/** A PDF that PDFium has opened. Close it: its memory is not collected. */
export interface RenderedPdf {
  readonly pages: number;
  /** The byte ranges of the signatures that PDFium finds. */
  readonly signatures: number[][];
  /** The entries of the outline and where they lead. */
  outline(): string[];
  /** Opens a page, from 0. `dpi` is by default one for comparing. Throws RenderingError. */
  page(index: number, dpi?: number): RenderedPage;
  close(): void;
}

/** The bytes of a file in the memory of PDFium, with each revision that is opened. */
export interface RenderedFile {
  /** Opens the revision that ends here, by default the last. Throws RenderingError if PDFium cannot read it. */
  open(end?: number): RenderedPdf;
  close(): void;
}

/** Gives PDFium a file. No script in it runs, and nothing is fetched. Throws RenderingError. */
export async function loadFile(bytes: Uint8Array, password = ''): Promise<RenderedFile> {
  const pdfium = await loadPdfium();
  const { malloc, free } = pdfium.pdfium.wasmExports;
  const file = malloc(bytes.length);
  if (file === 0) {
    dropPdfium();
    throw new RenderingError('TOO_LARGE', 'The document does not fit in the memory of PDFium.');
  }
  pdfium.pdfium.HEAPU8.set(bytes, file);
  return {
    open: (end = bytes.length) => guarded(() => open(pdfium, file, end, password)),
    close() {
      guarded(() => free(file));
      dropIfLarge(pdfium);
    },
  };
}

/** PDFium aborts if its memory does not suffice, or if it meets a state that it did not expect. */
function guarded<T>(work: () => T): T {
  try {
    return work();
  } catch (cause) {
    if (cause instanceof RenderingError) throw cause;
    dropPdfium();
    throw new RenderingError('FAILED', 'PDFium failed on the document.', { cause });
  }
}

/** A document, and the environment that draws its fields; without scripts, it changes none. */
interface Opened {
  pdfium: Pdfium;
  document: number;
  form: number;
}

function open(pdfium: Pdfium, file: number, length: number, password: string): RenderedPdf {
  const document = pdfium.FPDF_LoadMemDocument(file, length, password);
  if (document === 0) throw new RenderingError('UNREADABLE', 'PDFium cannot read the document.');
  const info = pdfium.PDFiumExt_OpenFormFillInfo();
  const form = pdfium.PDFiumExt_InitFormFillEnvironment(document, info);
  pdfium.FPDF_SetFormFieldHighlightAlpha(form, 0);
  return {
    pages: pdfium.FPDF_GetPageCount(document),
    signatures: signaturesOf(pdfium, document),
    outline: () => guarded(() => outlineOf(pdfium, document)),
    page: (index, dpi) => guarded(() => openPage({ pdfium, document, form }, index, dpi)),
    close: () =>
      guarded(() => {
        pdfium.PDFiumExt_ExitFormFillEnvironment(form);
        pdfium.FPDF_CloseDocument(document);
        pdfium.PDFiumExt_CloseFormFillInfo(info);
      }),
  };
}

function signaturesOf(pdfium: Pdfium, document: number): number[][] {
  const found: number[][] = [];
  const count = Math.min(pdfium.FPDF_GetSignatureCount(document), SIGNATURES_MAX);
  for (let index = 0; index < count; index++) {
    const signature = pdfium.FPDF_GetSignatureObject(document, index);
    const length = pdfium.FPDFSignatureObj_GetByteRange(signature, 0, 0);
    if (length !== 4) continue;
    const integers = pdfium.pdfium.wasmExports.malloc(length * INTEGER_BYTES);
    pdfium.FPDFSignatureObj_GetByteRange(signature, integers, length);
    const { buffer } = pdfium.pdfium.HEAPU8;
    found.push([...new Int32Array(buffer, integers, length)]);
    pdfium.pdfium.wasmExports.free(integers);
  }
  return found;
}

function openPage(opened: Opened, index: number, dpi: number | undefined): RenderedPage {
  const { pdfium, document, form } = opened;
  const page = pdfium.FPDF_LoadPage(document, index);
  if (page === 0) throw new RenderingError('UNREADABLE', `PDFium cannot read page ${index + 1}.`);
  pdfium.FORM_OnAfterLoadPage(page, form);
  const points = [pdfium.FPDF_GetPageWidthF(page), pdfium.FPDF_GetPageHeightF(page)] as const;
  const scale = dpi === undefined ? scaleOf(points, index) : scaleAt(points, index, dpi);
  const [width, height] = points.map((side) => Math.max(1, Math.round(side * scale))) as [number, number];
  const whole = { x: 0, y: 0, width, height };
  const draw = (part: Part, { hidden = [], isPrinted = false }: RenderOptions): Drawn =>
    guarded(() => {
      const shown = hide(pdfium, page, hidden, isPrinted);
      const flags = WITH_ANNOTATIONS | (isPrinted ? AS_PRINTED : 0);
      try {
        return drawn(opened, page, part, flags);
      } finally {
        shown();
      }
    });
  const [across, down] = halfOf(whole);
  const halfPart = { across, down, region: { x: 0, y: 0, width: across, height: down } };
  const half = (isPrinted: boolean) => draw(halfPart, { isPrinted });
  return {
    scale,
    width,
    height,
    render: (options = {}) => {
      const picture = draw({ across: width, down: height, region: options.region ?? whole }, options);
      const { pixels, ...size } = picture.raster();
      const raster = { ...size, pixels: pixels.slice() };
      picture.free();
      return raster;
    },
    half,
    differenceTo(other, isPrinted) {
      const [one, another] = [half(isPrinted), other.half(isPrinted)];
      const region = differingRegion(one.raster(), another.raster());
      one.free();
      another.free();
      return region;
    },
    text: () => guarded(() => textOf(pdfium, page)),
    links: () => guarded(() => linksOf(pdfium, document, page)),
    regionOf: (area) => guarded(() => regionOf(pdfium, page, { width, height, area })),
    close: () =>
      guarded(() => {
        pdfium.FORM_OnBeforeClosePage(page, form);
        pdfium.FPDF_ClosePage(page);
      }),
  };
}

function textOf(pdfium: Pdfium, page: number): string {
  const text = pdfium.FPDFText_LoadPage(page);
  const count = pdfium.FPDFText_CountChars(text);
  // In UTF-16, with a zero at the end.
  const buffer = pdfium.pdfium.wasmExports.malloc(2 * (count + 1));
  if (buffer === 0)
    throw new RenderingError('TOO_LARGE', 'The text of a page does not fit in the memory of PDFium.');
  const written = pdfium.FPDFText_GetText(text, 0, count, buffer);
  const bytes = Buffer.from(pdfium.pdfium.HEAPU8.slice(buffer, buffer + 2 * Math.max(0, written - 1)));
  pdfium.pdfium.wasmExports.free(buffer);
  pdfium.FPDFText_ClosePage(text);
  return bytes.toString('utf16le');
}

function scaleAt([width, height]: readonly [number, number], index: number, dpi: number): number {
  const scale = dpi / POINTS_PER_INCH;
  if (width * height * scale ** 2 <= CHOSEN_PIXELS_MAX) return scale;
  throw new RenderingError(
    'TOO_LARGE',
    `Page ${index + 1} would have more than ${CHOSEN_PIXELS_MAX} pixels at ${dpi} dpi.`,
  );
}

function regionOf(
  pdfium: Pdfium,
  page: number,
  { width, height, area }: { width: number; height: number; area: readonly [number, number, number, number] },
): Region {
  const { malloc, free } = pdfium.pdfium.wasmExports;
  const place = malloc(2 * INTEGER_BYTES);
  const pixel = (x: number, y: number): [number, number] => {
    pdfium.FPDF_PageToDevice(page, 0, 0, width, height, 0, x, y, place, place + INTEGER_BYTES);
    const [left = 0, top = 0] = new Int32Array(pdfium.pdfium.HEAPU8.buffer, place, 2);
    return [Math.min(Math.max(left, 0), width), Math.min(Math.max(top, 0), height)];
  };
  const [a, b] = [pixel(area[0], area[1]), pixel(area[2], area[3])];
  free(place);
  const [x, y] = [Math.min(a[0], b[0]), Math.min(a[1], b[1])];
  return { x, y, width: Math.abs(a[0] - b[0]), height: Math.abs(a[1] - b[1]) };
}

/**
 * Sets the flag of these annotations, and returns how to undo it. PDFium draws fields for the screen only: for paper, their
 * flags are set to what is printed.
 */
function hide(pdfium: Pdfium, page: number, hidden: readonly number[], isPrinted: boolean): () => void {
  const undone: (() => void)[] = [];
  const change = (index: number, flagsFrom: (flags: number, isField: boolean) => number) => {
    const annotation = pdfium.FPDFPage_GetAnnot(page, index);
    if (annotation === 0) return;
    const flags = pdfium.FPDFAnnot_GetFlags(annotation);
    const changed = flagsFrom(flags, pdfium.FPDFAnnot_GetSubtype(annotation) === WIDGET);
    pdfium.FPDFAnnot_SetFlags(annotation, changed);
    undone.push(() => {
      pdfium.FPDFAnnot_SetFlags(annotation, flags);
      pdfium.FPDFPage_CloseAnnot(annotation);
    });
  };
  const count = isPrinted ? pdfium.FPDFPage_GetAnnotCount(page) : 0;
  for (let index = 0; index < count; index++) {
    change(index, (flags, isField) => {
      if (!isField) return flags;
      return (flags & PRINT) === 0 ? flags | HIDDEN : flags & ~NO_VIEW;
    });
  }
  for (const index of hidden) change(index, (flags) => flags | HIDDEN);
  // The last first, since an annotation may have been changed twice.
  return () => {
    for (const undo of undone.reverse()) undo();
  };
}

/** A part of a page that is so many pixels wide and high. */
interface Part {
  across: number;
  down: number;
  region: Region;
}

/** A picture in the memory of PDFium. Its raster holds until PDFium is called again. */
interface Drawn {
  raster(): Raster;
  free(): void;
}

function drawn({ pdfium, form }: Opened, page: number, { across, down, region }: Part, flags: number): Drawn {
  const { x, y, width, height } = region;
  const bitmap = pdfium.FPDFBitmap_Create(width, height, 0);
  if (bitmap === 0) throw new RenderingError('TOO_LARGE', 'A page does not fit in the memory of PDFium.');
  const free = () => pdfium.FPDFBitmap_Destroy(bitmap);
  try {
    pdfium.FPDFBitmap_FillRect(bitmap, 0, 0, width, height, WHITE);
    pdfium.FPDF_RenderPageBitmap(bitmap, page, -x, -y, across, down, 0, flags);
    pdfium.FPDF_FFLDraw(form, bitmap, page, -x, -y, across, down, 0, flags);
  } catch (error) {
    free();
    throw error;
  }
  const start = pdfium.FPDFBitmap_GetBuffer(bitmap);
  const raster = () => ({
    width,
    height,
    pixels: pdfium.pdfium.HEAPU8.subarray(start, start + 4 * width * height),
  });
  return { raster, free };
}
