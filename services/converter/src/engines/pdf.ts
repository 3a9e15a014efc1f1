import { EngineError } from './engine.ts';

const OBJECT_BYTES_MAX = 64 * 1024;
const HEAD_BYTES_MAX = 64;
const TAIL_BYTES_MAX = 2048;

function notPdf(reason: string): EngineError {
  return new EngineError('crashed', `the output is not a PDF: ${reason}`);
}

/**
 * An entry of a cross-reference table: ten digits, a space, five digits, a space, n or f, and two bytes of line end.
 */
const ENTRY_BYTES = 20;
const ENTRY = /^(\d{10}) \d{5} n/;
const SECTION = /^xref\r?\n(\d{1,10}) (\d{1,10})\s*\r?\n/;

interface Table {
  first: number;
  count: number;
  /** Offset of the first entry. */
  start: number;
}

/** Reads the head of the only section and its only subsection. */
function readTable(pdf: Buffer, start: number): Table {
  const [head, first, count] = SECTION.exec(pdf.toString('latin1', start, start + HEAD_BYTES_MAX)) ?? [];
  if (head === undefined) throw notPdf('no cross-reference table');
  return { first: Number(first), count: Number(count), start: start + head.length };
}

/** The text of an indirect object, found through the cross-reference table (ISO 32000-2 §7.5.4). */
function objectText(pdf: Buffer, { first, count, start }: Table, reference: string | undefined): string {
  const index = Number(reference) - first;
  if (!(index >= 0 && index < count)) throw notPdf(`no object ${reference}`);
  const entryAt = start + index * ENTRY_BYTES;
  const offset = ENTRY.exec(pdf.toString('latin1', entryAt, entryAt + ENTRY_BYTES))?.[1];
  if (offset === undefined) throw notPdf(`no object ${reference}`);
  const text = pdf.toString('latin1', Number(offset), Number(offset) + OBJECT_BYTES_MAX);
  const end = text.indexOf('endobj');
  if (!text.startsWith(`${reference} 0 obj`) || end < 0)
    throw notPdf(`object ${reference} is not where it should be`);
  return text.slice(0, end);
}

/**
 * The number of pages of a PDF that LibreOffice wrote: one section with a plain cross-reference table (see
 * `libreoffice.mjs`).
 *
 * It is read from the page tree, which shows what was exported: the document's own count can differ by blank pages.
 * Throws `crashed` if the bytes do not start with `%PDF-`, end with `%%EOF` and contain a page.
 */
export function countPages(pdf: Buffer): number {
  if (pdf.toString('latin1', 0, 5) !== '%PDF-') throw notPdf('wrong head');
  const tail = pdf.toString('latin1', Math.max(0, pdf.length - TAIL_BYTES_MAX));
  const start = /startxref\s+(\d{1,10})\s+%%EOF\s*$/.exec(tail)?.[1];
  if (start === undefined) throw notPdf('wrong end');
  const table = readTable(pdf, Number(start));
  const trailerAt = table.start + table.count * ENTRY_BYTES;
  const trailer = pdf.toString('latin1', trailerAt, trailerAt + OBJECT_BYTES_MAX);
  if (!trailer.startsWith('trailer')) throw notPdf('no trailer');
  const catalog = objectText(pdf, table, /\/Root\s+(\d{1,10}) 0 R/.exec(trailer)?.[1]);
  const tree = objectText(pdf, table, /\/Pages\s+(\d{1,10}) 0 R/.exec(catalog)?.[1]);
  const pages = Number(/\/Count\s+(\d{1,10})/.exec(tree)?.[1]);
  if (!(pages >= 1)) throw notPdf('it has no page');
  return pages;
}
