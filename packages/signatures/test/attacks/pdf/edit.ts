import { type Dict, findPage, type Ref } from '@scriptorium/pdf/read';
import { editDict, Update } from '@scriptorium/pdf/update';
import { readPdf } from '../../../src/pades/read-pdf.ts';

/** Position of the byte range and value of a file's last signature. */
export interface SignaturePlace {
  byteRange: [number, number, number, number];
  /** The array with its key and the white space after it: from `/ByteRange` up to `/Contents`. */
  range: { start: number; end: number };
  /** The value with its key: from `/Contents` to the end of `>`. */
  contents: { start: number; end: number };
}

/** Returns the last signature in the file. */
export function lastSignature(pdf: Buffer): SignaturePlace {
  const text = pdf.toString('latin1');
  const start = text.lastIndexOf('/ByteRange');
  const match = /^\/ByteRange\s*\[0 (\d+) (\d+) (\d+)\s*\]/.exec(text.slice(start, start + 100));
  if (!match) throw new Error('there is no signature');
  const [whole, a, b, c] = match;
  const contents = text.indexOf('/Contents', start + whole.length);
  return {
    byteRange: [0, Number(a), Number(b), Number(c)],
    range: { start, end: contents },
    contents: { start: contents, end: text.indexOf('>', contents) + 1 },
  };
}

/** Replaces the bytes between two offsets and pads them with spaces: the file keeps its length. */
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

/** Replaces the first occurrence of a text from `from` on with one that is not longer. */
export function replaced(pdf: Buffer, before: string, text: string, from = 0): Buffer {
  const start = pdf.indexOf(before, from, 'latin1');
  if (start === -1) throw new Error(`${before} is missing`);
  return overwritten(pdf, { start, end: start + before.length }, text);
}

/** Appends a well-formed incremental update of the file's own form. */
export function updated(pdf: Buffer, change: (update: Update) => void): Buffer {
  const update = new Update(readPdf(pdf).document);
  change(update);
  return update.finish().bytes;
}

/** Replaces an object in an update, with other values for some keys. */
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
  throw new Error(`${ref} is not a dictionary`);
}

export function changeCatalog(update: Update, changes: Readonly<Record<string, string | undefined>>): void {
  const { catalog } = update.document;
  update.replace(catalog as unknown as Ref, editDict(catalog.value, changes));
}

/** Returns the first page of the document before the update. */
export function firstPage({ document }: Update): { ref: Ref; dict: Dict } {
  const page = findPage(document, 1);
  if (!page) throw new Error('there is no page');
  return { ref: page.ref, dict: page.object.value };
}

/** Adds an annotation to the first page in an update. Returns its reference. */
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

/** Writes objects, and returns their positions, counted from `offset`. */
export function written(pieces: readonly Piece[], offset: number): { text: string; offsets: number[] } {
  let text = '';
  const offsets = pieces.map(({ num, body }) => {
    const at = offset + text.length;
    text += `${num} 0 obj\n${body}\nendobj\n`;
    return at;
  });
  return { text, offsets };
}

/** Returns a cross-reference table of these objects, without its trailer. */
export function tableOf(entries: readonly { num: number; offset: number }[]): string {
  const rows = entries.map(({ num, offset }) => `${num} 1\n${String(offset).padStart(10, '0')} 00000 n\r\n`);
  return `xref\n${rows.join('')}`;
}

/** Returns the offset in the last startxref. */
export function lastStartxref(pdf: Buffer): number {
  const match = /startxref\s+(\d+)\s+%%EOF\s*$/.exec(pdf.toString('latin1', pdf.length - 100));
  if (!match) throw new Error('there is no startxref');
  return Number(match[1]);
}

/** Returns the highest object number in use. */
export const numMaxOf = (pdf: Buffer): number => readPdf(pdf).document.xref.numMax;

/** Returns page content that shows a text at the usual position. */
export const shownText = (text: string): string => {
  const data = `BT /F1 12 Tf 50 500 Td (${text}) Tj ET`;
  return `<</Length ${data.length}>>\nstream\n${data}\nendstream`;
};
