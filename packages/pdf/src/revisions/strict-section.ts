import { skipSpace } from '../read/characters.ts';
import type { PdfDocument } from '../read/document.ts';
import { headerAt } from '../read/object-header.ts';
import { Dict, PdfString, Ref } from '../read/values.ts';
import { isFree, type XrefSection } from '../read/xref-entry.ts';
import { isStrictStream } from './strict-syntax.ts';

/** Writers reserve numbers that they do not use in the end. */
const UNUSED_NUMBERS_MAX = 1_000;
const LINE = '(?:\\r\\n|\\n|\\r)';
const KEYWORD = new RegExp(`xref ?${LINE}`, 'y');
const HEAD = new RegExp(`\\d+ (\\d+) ?${LINE}`, 'y');
const ENTRY = /\d{10} \d{5} [nf](?: \r| \n|\r\n)/y;
/** MuPDF writes an empty line before it. */
const TRAILER = new RegExp(`(?:${LINE})?trailer[\\s<]`, 'y');
/** iText writes a comment before the keyword. Behind it, pdf.js takes neither comments nor other white space. */
const TAIL =
  /^(?:endobj(?![^ \t\r\n])|[ \t\r\n]|%[^\r\n]*[\r\n])*startxref[ \t]*[\r\n][ \t\r\n]*\d+[ \t\r\n]+%%EOF/;
const TAIL_BYTES_MAX = 400;
const ENTRY_BYTES = 20;
const INTEGER = /^\d{1,10}$/;

/**
 * Returns a sentence about cross-reference data of an update that are not written as ISO 32000-2, 7.5.4, 7.5.5 and 7.5.8 say;
 * undefined if they are. Some readers repair such a file: they search all its bytes for objects, and find others.
 */
export function looseSection(document: PdfDocument, sections: readonly XrefSection[]): string | undefined {
  for (const section of sections) {
    if (section.kind === 'table' && !isStrictTable(document.bytes, section))
      return 'The cross-reference table of an update is not written as the standard says.';
    if (section.kind === 'stream' && !isOwnObject(document, section))
      return 'A cross-reference stream of an update has the number of another object.';
    if (
      !isStrictTrailer(document, section) ||
      (section.kind === 'stream' && !isStrictData(document, section))
    )
      return 'The trailer of an update is not written as the standard says.';
  }
  const end = Math.max(...sections.map((section) => section.end));
  if (!TAIL.test(document.bytes.toString('latin1', end, end + TAIL_BYTES_MAX)))
    return 'The end of an update is not written as the standard says.';
  return undefined;
}

function isStrictTable(bytes: Buffer, { start, end }: XrefSection): boolean {
  const text = bytes.toString('latin1', start, end);
  let at = 0;
  const pass = (pattern: RegExp): RegExpExecArray | null => {
    pattern.lastIndex = at;
    const match = pattern.exec(text);
    at = match ? pattern.lastIndex : at;
    return match;
  };
  if (!pass(KEYWORD)) return false;
  for (let head = pass(HEAD); head; head = pass(HEAD)) {
    const count = Number(head[1]);
    // Without this, a count could make the loop long.
    if (count * ENTRY_BYTES > text.length) return false;
    for (let index = 0; index < count; index++) if (!pass(ENTRY)) return false;
  }
  return pass(TRAILER) !== null;
}

/**
 * Whether a cross-reference stream has a number of its own. MuPDF and qpdf take it for the object with its number, whatever is
 * listed.
 */
function isOwnObject({ bytes, base, xref }: PdfDocument, { start }: XrefSection): boolean {
  const num = headerAt(bytes, start)?.ref.num ?? 0;
  const entry = xref.find(num);
  const isHere = entry?.kind === 'plain' && skipSpace(bytes, base + entry.offset) === start;
  return num > 0 && (isFree(entry) || isHere);
}

const isStrictData = ({ bytes }: PdfDocument, { trailer, end }: XrefSection): boolean =>
  isStrictStream(bytes, trailer.end, trailer.get('Length'), end);

function isStrictTrailer(document: PdfDocument, { trailer, numMax }: XrefSection): boolean {
  const isInteger = (key: string): boolean => {
    const entry = trailer.entries.get(key);
    return entry === undefined || INTEGER.test(trailer.source.toString('latin1', entry.start, entry.end));
  };
  if (!['Size', 'Prev', 'XRefStm'].every(isInteger)) return false;
  const size = trailer.get('Size');
  if (typeof size !== 'number' || size <= numMax) return false;
  if (size > document.xref.numMax + UNUSED_NUMBERS_MAX) return false;
  const info = trailer.get('Info');
  if (info instanceof Ref && !(document.resolve(info) instanceof Dict)) return false;
  if (!(info === null || info instanceof Ref || info instanceof Dict)) return false;
  const id = document.resolve(trailer.get('ID'));
  if (id === null) return true;
  const parts = Array.isArray(id) ? id.map((part) => document.resolve(part)) : [];
  return parts.length === 2 && parts.every((part) => part instanceof PdfString);
}
