import { Name, PdfString, type PdfValue, Stream } from '../read/values.ts';

/** Characters of PDFDocEncoding that differ from Latin 1, from 0x80 (ISO 32000-2, table D.2). */
const DOC_CHARACTERS = '•†‡…—–ƒ⁄‹›−‰„“”‘’‚™ﬁﬂŁŒŠŸŽıłœšž\u009f€';
/** Normalizes shown text: ignores spaces and the composition of letters. */
export const plain = (text: string): string =>
  text
    .replace(RAISED, (letter) => `\ue000${letter.charCodeAt(0)}`)
    .normalize('NFKC')
    .replace(/[\s\u00ad\u200b-\u200f]+/g, '');
const IGNORED = /[\s\u00ad\u200b-\u200f]/;
const UNSEEN = /[\u00ad\u200b-\u200f]/g;

/** In shown text: where a string ends and the next one may begin at a distance, and where it does. */
export const [MAYBE_GAP, GAP] = ['\u2028', '\u2029'];

const WORD = /[\p{L}\p{N}]/u;
const DIGITS_MAX = 40;
/** A number in groups of thousands. */
const GROUPED = /^\p{N}{1,3}(?:\s\p{N}{3})+$/u;

/**
 * Whether letters and digits of a value that stand together do so in the shown text. Those that stand apart must not stand
 * together: 1 1/2 is not 11/2. Both are the same without their spaces. Groups of thousands may stand either way.
 */
export function standsAlike(value: string, shown: string): boolean {
  const [whole, parts] = [gapsIn(value), gapsIn(shown)];
  return whole.gaps.every((gap, index) => {
    const other = parts.gaps[index] ?? '';
    if (gap === '' ? /^\u2028*$/.test(other) : other !== '') return true;
    return isGrouped(whole, index) || isGrouped(parts, index);
  });
}

interface Gaps {
  letters: string[];
  /** What is between a letter and the next one, if both belong to words. */
  gaps: string[];
}

function gapsIn(text: string): Gaps {
  const [letters, gaps]: [string[], string[]] = [[], []];
  let gap = '';
  for (const letter of text.replace(RAISED, (raised) => `\ue000${raised.charCodeAt(0)}`).normalize('NFKC')) {
    if (IGNORED.test(letter)) {
      gap += letter;
      continue;
    }
    const last = letters.at(-1);
    if (last !== undefined) gaps.push(WORD.test(last) && WORD.test(letter) ? gap.replace(UNSEEN, '') : '');
    letters.push(letter);
    gap = '';
  }
  return { letters, gaps };
}

/** Whether the number around a gap has groups of thousands. */
function isGrouped({ letters, gaps }: Gaps, index: number): boolean {
  let [first, last] = [index, index + 1];
  const isDigit = (at: number) => /\p{N}/u.test(letters[at] ?? '') && last - first < DIGITS_MAX;
  while (isDigit(first - 1)) first--;
  while (isDigit(last + 1)) last++;
  const number = letters.slice(first, last + 1).map((letter, at) => letter + (gaps[first + at] ? ' ' : ''));
  return GROUPED.test(number.join('').trim());
}

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
