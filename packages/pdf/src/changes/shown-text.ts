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

const FORMATTED_CHARS_MAX = 200;
const NUMBER = /^-?(?:\d+\.?\d*|\.\d+)$/;
const DATE = /\d[-/.]\d{1,2}[-/.]\d/;
const NEGATIVE = /[-−(]/;

export const sorted = (text: string): string => [...text].sort().join('');

/**
 * Whether a script of the form can have formatted a value this way: a number with other separators and decimals, or a
 * date in another order (ISO 32000-2, table 199). Three decimals may also be thousands.
 */
export function isFormattedAs(value: string, shown: string): boolean {
  if (Math.max(value.length, shown.length) > FORMATTED_CHARS_MAX) return false;
  const digits = shown.replace(/\D/g, '');
  if (!NUMBER.test(value)) {
    const own = value.replace(/\D/g, '');
    if (!DATE.test(value)) return own === digits;
    return sorted(own.replace(/0/g, '')) === sorted(digits.replace(/0/g, ''));
  }
  const written = shown.replace(/[^\d.,]/g, '').replace(/^[.,]+|[.,]+$/g, '');
  if (value === digits && written === digits) return true;
  if (NEGATIVE.test(shown) !== value.startsWith('-')) return false;
  const number = Math.abs(Number(value)) * (shown.includes('%') ? 100 : 1);
  return readings(written).some(
    ({ read, decimals }) => Math.abs(number - read) <= 0.5 * 10 ** -decimals + 1e-9,
  );
}

/** The possible readings of a number with points and commas. */
function readings(written: string): { read: number; decimals: number }[] {
  if (/^(?:\d+|\d{1,3}(?:,\d{3})+|\d{1,3}(?:\.\d{3})+)$/.test(written))
    return [{ read: Number(written.replace(/\D/g, '')), decimals: 0 }];
  const [, head = '', tail = ''] = /^([\d.,]+)[.,](\d+)$/.exec(written) ?? [];
  if (head === '' || tail.length === 3) return [];
  return [{ read: Number(`${head.replace(/\D/g, '')}.${tail}`), decimals: tail.length }];
}
