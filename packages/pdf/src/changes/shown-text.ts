import { Name, PdfString, type PdfValue, Stream } from '../read/values.ts';

/** Characters of PDFDocEncoding that differ from Latin 1, from 0x80 (ISO 32000-2, table D.2). */
const DOC_CHARACTERS = '•†‡…—–ƒ⁄‹›−‰„“”‘’‚™ﬁﬂŁŒŠŸŽıłœšž\u009f€';
/** Normalizes shown text: ignores spaces and the composition of letters. */
export const plain = (text: string): string =>
  text
    .replace(RAISED, (letter) => `\ue000${letter.charCodeAt(0)}`)
    .normalize('NFKC')
    .replace(/[\s\u00ad\u200b-\u200f]+/g, '');

/** Superscript digits, fractions and circled digits do not mean the digits in them. */
const RAISED = /[\u00b2\u00b3\u00b9\u00bc-\u00be\u2070-\u209f\u2150-\u218f\u2460-\u24ff]/g;

export function textOf(value: PdfValue): string {
  if (value instanceof Stream) return value.data.toString('utf8');
  if (value instanceof Name) return value.text;
  if (!(value instanceof PdfString)) return '';
  const { bytes, text } = value;
  const isUnicode = (bytes[0] === 0xfe && bytes[1] === 0xff) || (bytes[0] === 0xef && bytes[1] === 0xbb);
  if (isUnicode) return text;
  return text.replace(/[\x80-\xa0]/g, (letter) => DOC_CHARACTERS[letter.charCodeAt(0) - 0x80] ?? letter);
}
