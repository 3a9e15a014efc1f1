import { type Dict, findPage, type Ref } from '@scriptorium/pdf/read';
import { editDict, Update } from '@scriptorium/pdf/update';
import { readPdf } from '../../../src/pades/read-pdf.ts';

/** What a signature dictionary says of the last signature of a file, and where. */
export interface SignaturePlace {
  byteRange: [number, number, number, number];
  /** The array with its key and the blanks behind it: from `/ByteRange` up to `/Contents`. */
  range: { start: number; end: number };
  /** The value with its key: from `/Contents` up to behind `>`. */
  contents: { start: number; end: number };
}

/** The signature that stands last in the file. */
export function lastSignature(pdf: Buffer): SignaturePlace {
  const text = pdf.toString('latin1');
  const start = text.lastIndexOf('/ByteRange');
  const match = /^\/ByteRange\s*\[0 (\d+) (\d+) (\d+)\s*\]/.exec(text.slice(start, start + 100));
  if (!match) throw new Error('no signature is there');
  const [whole, a, b, c] = match;
  const contents = text.indexOf('/Contents', start + whole.length);
  return {
    byteRange: [0, Number(a), Number(b), Number(c)],
    range: { start, end: contents },
    contents: { start: contents, end: text.indexOf('>', contents) + 1 },
  };
}

/** The file with these bytes in place of what lies between the two offsets, and blanks behind them: it keeps its length. */
export function overwritten(
  pdf: Buffer,
  { start, end }: { start: number; end: number },
  text: string,
): Buffer {
  if (text.length > end - start) throw new Error(`${text.length} bytes do not fit into ${end - start}`);
  const copy = Buffer.from(pdf);
  copy.write(text.padEnd(end - start), start, 'latin1');
  return copy;
}

/** The file with a text in place of another of the same length or longer, the first one from `from` on. */
export function replaced(pdf: Buffer, before: string, text: string, from = 0): Buffer {
  const start = pdf.indexOf(before, from, 'latin1');
  if (start === -1) throw new Error(`${before} is not there`);
  return overwritten(pdf, { start, end: start + before.length }, text);
}

/** The file with an incremental update behind it, well-formed and of its own kind. */
export function updated(pdf: Buffer, change: (update: Update) => void): Buffer {
  const update = new Update(readPdf(pdf).document);
  change(update);
  return update.finish().bytes;
}

/** In an update: the same object with other values for some keys. */
export function changeObject(
  update: Update,
  ref: Ref,
  changes: Readonly<Record<string, string | undefined>>,
): void {
  update.replace(ref, editDict(dictOf(update, ref), changes));
}

export function dictOf({ document }: Update, ref: Ref): Dict {
  const value = document.object(ref)?.value;
  if (value && typeof value === 'object' && 'entries' in value && 'repeatedKeys' in value)
    return value as Dict;
  throw new Error(`${ref} is no dictionary`);
}

export function changeCatalog(update: Update, changes: Readonly<Record<string, string | undefined>>): void {
  const { catalog } = update.document;
  update.replace(catalog as unknown as Ref, editDict(catalog.value, changes));
}

/** The first page of the document as it is before the update. */
export function firstPage({ document }: Update): { ref: Ref; dict: Dict } {
  const page = findPage(document, 1);
  if (!page) throw new Error('no page is there');
  return { ref: page.ref, dict: page.object.value };
}

/** In an update: the first page shows one annotation more. Answers with the reference to it. */
export function addAnnotation(update: Update, keys: string): Ref {
  const { ref, dict } = firstPage(update);
  const annotation = update.add(`<</Type/Annot/P ${ref}${keys}>>`);
  const entry = dict.entries.get('Annots');
  const before = entry ? dict.source.toString('latin1', entry.start + 1, entry.end - 1) : '';
  update.replace(ref, editDict(dict, { Annots: `[${before} ${annotation}]` }));
  return annotation;
}

export interface Piece {
  num: number;
  body: string;
}

/** Objects as they stand in a file, and where each begins, counted from `offset`. */
export function written(pieces: readonly Piece[], offset: number): { text: string; offsets: number[] } {
  let text = '';
  const offsets = pieces.map(({ num, body }) => {
    const at = offset + text.length;
    text += `${num} 0 obj\n${body}\nendobj\n`;
    return at;
  });
  return { text, offsets };
}

/** A cross-reference table of these objects, without its trailer. */
export function tableOf(entries: readonly { num: number; offset: number }[]): string {
  const rows = entries.map(({ num, offset }) => `${num} 1\n${String(offset).padStart(10, '0')} 00000 n\r\n`);
  return `xref\n${rows.join('')}`;
}

/** The offset that the last startxref names. */
export function lastStartxref(pdf: Buffer): number {
  const match = /startxref\s+(\d+)\s+%%EOF\s*$/.exec(pdf.toString('latin1', pdf.length - 100));
  if (!match) throw new Error('no startxref is there');
  return Number(match[1]);
}

/** Objects numbers up to this one are in use. */
export const numMaxOf = (pdf: Buffer): number => readPdf(pdf).document.xref.numMax;

/** A page's content that shows a text at the usual place. */
export const shownText = (text: string): string => {
  const data = `BT /F1 12 Tf 50 500 Td (${text}) Tj ET`;
  return `<</Length ${data.length}>>\nstream\n${data}\nendstream`;
};
