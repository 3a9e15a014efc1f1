import { EngineError } from '../engine.ts';

const OBJECT_BYTES_MAX = 64 * 1024;

function notPdf(reason: string): EngineError {
  return new EngineError('crashed', `the output is not a PDF: ${reason}`);
}

/** The text of an indirect object, found through the cross-reference table (ISO 32000-2 §7.5.4). */
function objectText(pdf: Buffer, offsets: Map<number, number>, reference: string | undefined): string {
  const offset = offsets.get(Number(reference));
  if (reference === undefined || offset === undefined) throw notPdf(`no object ${reference}`);
  const text = pdf.toString('latin1', offset, offset + OBJECT_BYTES_MAX);
  const end = text.indexOf('endobj');
  if (!text.startsWith(`${reference} 0 obj`) || end < 0)
    throw notPdf(`object ${reference} is not where it should be`);
  return text.slice(0, end);
}

function readOffsets(section: string): Map<number, number> {
  const offsets = new Map<number, number>();
  let number = 0;
  for (const line of section.split('\n').slice(1)) {
    const fields = line.trim().split(' ');
    if (fields[0] === 'trailer') break;
    if (fields.length === 2) number = Number(fields[0]);
    else if (fields.length === 3) {
      if (fields[2] === 'n') offsets.set(number, Number(fields[0]));
      number++;
    }
  }
  return offsets;
}

/**
 * The number of pages of a PDF as LibreOffice writes it: one section with a plain cross-reference table.
 *
 * Read from the page tree, so it is what was exported: the document's own count can differ by pages left blank.
 * Throws `crashed` for what does not start with `%PDF-`, end with `%%EOF` and have a page.
 */
export function countPages(pdf: Buffer): number {
  if (pdf.toString('latin1', 0, 5) !== '%PDF-') throw notPdf('its head');
  const tail = pdf.toString('latin1', Math.max(0, pdf.length - 2048));
  const start = /startxref\s+(\d+)\s+%%EOF\s*$/.exec(tail)?.[1];
  if (start === undefined) throw notPdf('its end');
  const section = pdf.toString('latin1', Number(start));
  const offsets = readOffsets(section);
  const trailer = section.slice(section.lastIndexOf('trailer'));
  const catalog = objectText(pdf, offsets, /\/Root\s+(\d+) 0 R/.exec(trailer)?.[1]);
  const tree = objectText(pdf, offsets, /\/Pages\s+(\d+) 0 R/.exec(catalog)?.[1]);
  const pages = Number(/\/Count\s+(\d+)/.exec(tree)?.[1]);
  if (!(pages >= 1)) throw notPdf('it has no page');
  return pages;
}
