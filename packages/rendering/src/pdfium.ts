import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { init, type WrappedPdfiumModule } from '@embedpdf/pdfium';

const WASM_PAGE_BYTES = 65_536;
const MEMORY_SECTION = 5;
const HEADER_BYTES = 8;
/** For one instance of PDFium. Beyond it, PDFium aborts. */
const MEMORY_BYTES_MAX = 512 * 1024 * 1024;
/** The memory of an instance never shrinks: one with more is replaced after its document. */
const KEPT_BYTES_MAX = 96 * 1024 * 1024;

/** The type that the package declares omits the view of the memory, which it exports. */
export type Pdfium = WrappedPdfiumModule & { pdfium: { HEAPU8: Uint8Array } };

let ready: Promise<Pdfium> | undefined;
let isDropped = false;

/** Loads PDFium once per thread. */
export function loadPdfium(): Promise<Pdfium> {
  ready ??= start();
  return ready;
}

/** Forgets the instance: after an abort, its memory is not sound. The next load starts a new one. */
export function dropPdfium(): void {
  ready = undefined;
  isDropped = true;
}

/** Whether this thread has memory of an instance that it forgot, which the garbage collector may leave for long. */
export const hasDropped = (): boolean => isDropped;

/** Forgets an instance that a document has made large. */
export function dropIfLarge({ pdfium }: Pdfium): void {
  if (pdfium.HEAPU8.byteLength > KEPT_BYTES_MAX) dropPdfium();
}

/** The module declares its maximum in its memory section (WebAssembly 2.0, 5.5.8), and has no other setting for it. */
async function start(): Promise<Pdfium> {
  const path = createRequire(import.meta.url).resolve('@embedpdf/pdfium/pdfium.wasm');
  const binary = withMemoryMax(await readFile(path), Math.floor(MEMORY_BYTES_MAX / WASM_PAGE_BYTES));
  const pdfium = await init({
    wasmBinary: Uint8Array.from(binary).buffer,
    print: () => {},
    printErr: () => {},
  });
  pdfium.PDFiumExt_Init();
  return pdfium as Pdfium;
}

/** Writes another maximum, in pages of 64 KiB, in as many bytes as the declared one has. Throws if there is none. */
function withMemoryMax(binary: Uint8Array, pagesMax: number): Uint8Array {
  let at = HEADER_BYTES;
  const integer = (): number => {
    let value = 0;
    for (let shift = 0; ; shift += 7) {
      const byte = binary[at++] ?? 0;
      value |= (byte & 0x7f) << shift;
      if (byte < 0x80) return value >>> 0;
    }
  };
  while (at < binary.length) {
    const section = binary[at++];
    const end = integer() + at;
    if (section !== MEMORY_SECTION) {
      at = end;
      continue;
    }
    const [memories, flags, pagesMin] = [integer(), integer(), integer()];
    const start = at;
    const declared = integer();
    if (memories !== 1 || (flags & 1) === 0 || pagesMin > pagesMax || pagesMax > declared) break;
    const limited = Uint8Array.from(binary);
    for (let byte = start, rest = pagesMax; byte < at; byte++, rest >>>= 7)
      limited[byte] = (rest & 0x7f) | (byte < at - 1 ? 0x80 : 0);
    return limited;
  }
  throw new Error('the module declares no memory that can be limited to this maximum');
}
