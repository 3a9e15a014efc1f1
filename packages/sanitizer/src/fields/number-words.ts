const ONES = [
  ...[
    'zero',
    'one',
    'two',
    'three',
    'four',
    'five',
    'six',
    'seven',
    'eight',
    'nine',
    'ten',
    'eleven',
    'twelve',
  ],
  ...['thirteen', 'fourteen', 'fifteen', 'sixteen', 'seventeen', 'eighteen', 'nineteen'],
];
const TENS = ['', '', 'twenty', 'thirty', 'forty', 'fifty', 'sixty', 'seventy', 'eighty', 'ninety'];
const IRREGULAR: Readonly<Record<string, string>> = {
  one: 'first',
  two: 'second',
  three: 'third',
  five: 'fifth',
  eight: 'eighth',
  nine: 'ninth',
  twelve: 'twelfth',
};
const ROMAN: readonly (readonly [value: number, letters: string])[] = [
  ...([
    [1000, 'M'],
    [900, 'CM'],
    [500, 'D'],
    [400, 'CD'],
    [100, 'C'],
    [90, 'XC'],
    [50, 'L'],
  ] as const),
  ...([
    [40, 'XL'],
    [10, 'X'],
    [9, 'IX'],
    [5, 'V'],
    [4, 'IV'],
    [1, 'I'],
  ] as const),
];
/** The largest number that these formats show (ECMA-376-1 §17.16.4.3.1). */
const WORDS_MAX = 999_999;
const ROMAN_MAX = 32_767;
const LETTERS_MAX = 780;

/** A whole number in English words: `twenty-one`. */
function cardinal(value: number): string {
  if (value < 20) return ONES[value] ?? '';
  if (value < 100) return `${TENS[Math.floor(value / 10)]}${value % 10 === 0 ? '' : `-${ONES[value % 10]}`}`;
  const [unit, word] = value < 1000 ? ([100, 'hundred'] as const) : ([1000, 'thousand'] as const);
  const rest = value % unit === 0 ? '' : ` ${cardinal(value % unit)}`;
  return `${cardinal(Math.floor(value / unit))} ${word}${rest}`;
}

/** `twenty-first`. */
function ordinal(value: number): string {
  const words = cardinal(value);
  const at = Math.max(words.lastIndexOf(' '), words.lastIndexOf('-')) + 1;
  const last = words.slice(at);
  const changed = Object.hasOwn(IRREGULAR, last) ? IRREGULAR[last] : `${last.replace(/y$/, 'ie')}th`;
  return words.slice(0, at) + changed;
}

function roman(value: number): string {
  let [rest, letters] = [value, ''];
  for (const [unit, text] of ROMAN) for (; rest >= unit; rest -= unit) letters += text;
  return letters;
}

function suffixed(value: number): string {
  const isTeen = Math.floor(value / 10) % 10 === 1;
  return `${value}${(isTeen ? undefined : ['th', 'st', 'nd', 'rd'][value % 10]) ?? 'th'}`;
}

/**
 * A number in the format of a `\*` switch in lower case (ECMA-376-1 §17.16.4.3.1). Words are English. Undefined if the
 * format does not show this number, or if the format is unknown.
 */
export function numberAs(format: string, value: number, isUpper: boolean): string | undefined {
  const whole = Math.round(value);
  if (format === 'arabic') return String(whole);
  if (whole < 0 || whole > WORDS_MAX) return undefined;
  const letters = (text: string) => (isUpper ? text.toUpperCase() : text.toLowerCase());
  switch (format) {
    case 'ordinal':
      return suffixed(whole);
    case 'cardtext':
      return cardinal(whole);
    case 'ordtext':
      return ordinal(whole);
    case 'hex':
      return whole.toString(16).toUpperCase();
    case 'roman':
      return whole > 0 && whole <= ROMAN_MAX ? letters(roman(whole)) : undefined;
    case 'alphabetic': {
      const letter = String.fromCharCode(97 + ((whole - 1) % 26));
      return whole > 0 && whole <= LETTERS_MAX ? letters(letter.repeat(Math.ceil(whole / 26))) : undefined;
    }
    case 'dollartext':
      return `${cardinal(Math.floor(value))} and ${String(Math.round((value % 1) * 100)).padStart(2, '0')}/100`;
    default:
      return undefined;
  }
}

/** A text in the case of a `\*` switch; unchanged if the switch says nothing about case. */
export function inCase(format: string, text: string): string {
  if (format === 'upper') return text.toUpperCase();
  if (format === 'lower') return text.toLowerCase();
  if (format === 'firstcap') return text.replace(/\p{L}/u, (letter) => letter.toUpperCase());
  if (format === 'caps') return text.replaceAll(/(?<![\p{L}'’])\p{L}/gu, (letter) => letter.toUpperCase());
  return text;
}
