const LATIN = [...'abcdefghijklmnopqrstuvwxyz'];
const GREEK = [...'αβγδεζηθικλμνξοπρστυφχψω'];
const ROMAN = [
  ['m', 1000],
  ['cm', 900],
  ['d', 500],
  ['cd', 400],
  ['c', 100],
  ['xc', 90],
  ['l', 50],
  ['xl', 40],
  ['x', 10],
  ['ix', 9],
  ['v', 5],
  ['iv', 4],
  ['i', 1],
] as const;
const ROMAN_MAX = 3_999;
/** Styles by the attribute `type` of lists. */
const TYPES: Readonly<Record<string, string>> = {
  '1': 'decimal',
  a: 'lower-alpha',
  A: 'upper-alpha',
  i: 'lower-roman',
  I: 'upper-roman',
};

export const styleOfType = (type: string | undefined): string | undefined =>
  Object.hasOwn(TYPES, type ?? '') ? TYPES[type ?? ''] : undefined;

/** A number with letters for digits, which have no zero (CSS Counter Styles 3 §3.1.4). */
function lettersOf(number: number, letters: readonly string[]): string {
  let text = '';
  for (let left = number; left > 0; left = Math.floor((left - 1) / letters.length))
    text = `${letters[(left - 1) % letters.length]}${text}`;
  return text;
}

function romanOf(number: number): string {
  let left = number;
  return ROMAN.map(([letters, value]) => {
    const count = Math.floor(left / value);
    left -= count * value;
    return letters.repeat(count);
  }).join('');
}

/** A number in a style of CSS. Undefined for other styles, such as bullets. */
export function numeral(number: number, style: string): string | undefined {
  const [, size, kind] = /^(?:(lower|upper)-)?([a-z-]+)$/.exec(style) ?? [];
  const isNatural = number > 0;
  if (kind === 'decimal') return `${number}`;
  if (kind === 'decimal-leading-zero')
    return number < 0 ? `-${`${-number}`.padStart(2, '0')}` : `${number}`.padStart(2, '0');
  if (size === undefined || !/^(?:alpha|latin|greek|roman)$/.test(kind ?? '')) return undefined;
  if (!isNatural || (kind === 'roman' && number > ROMAN_MAX)) return `${number}`;
  const text = kind === 'roman' ? romanOf(number) : lettersOf(number, kind === 'greek' ? GREEK : LATIN);
  return size === 'upper' ? text.toUpperCase() : text;
}
