import { decimalOf, isNumeric, roundTo } from '../decimals.ts';
import { DataError } from '../errors.ts';
import { textIn, type Use } from './formatter.ts';
import { inWords, ordinalInWords } from './words.ts';

type Form = (use: Use, whole: number, isUpper: boolean) => string;

/** The largest numbers that Word writes so. */
const ROMAN_MAX = 32_767;
const ALPHABETIC_MAX = 780;
const HEX_MAX = 32_767;
const LETTERS = 26;
const CENTS = 100;

const ROMAN: readonly (readonly [number, string])[] = [
  [1000, 'M'],
  [900, 'CM'],
  [500, 'D'],
  [400, 'CD'],
  [100, 'C'],
  [90, 'XC'],
  [50, 'L'],
  [40, 'XL'],
  [10, 'X'],
  [9, 'IX'],
  [5, 'V'],
  [4, 'IV'],
  [1, 'I'],
];

const FORMS: ReadonlyMap<string, Form> = new Map<string, Form>([
  ['arabic', (_use, whole) => String(whole)],
  ['roman', (use, whole, isUpper) => inCase(roman(within(use, whole, ROMAN_MAX)), isUpper)],
  ['alphabetic', (use, whole, isUpper) => inCase(letters(within(use, whole, ALPHABETIC_MAX)), isUpper)],
  ['hex', (use, whole) => within(use, whole, HEX_MAX, 0).toString(16).toUpperCase()],
  ['ordinal', ordinal],
  ['ordtext', (use, whole) => ordinalInWords(within(use, whole, ROMAN_MAX, 0), use)],
  ['cardtext', (use) => inWords({ ...use, args: [] })],
  ['dollartext', dollars],
]);

/**
 * The input by a switch of Word for numbers, such as `\* Roman` (ECMA-376-1 §17.16.4.3.1). Undefined if the switch is
 * another one, and for a text that is not a number, which stays.
 */
export function generalNumber(use: Use, written: string): string | undefined {
  const form = FORMS.get(written.toLowerCase());
  if (form === undefined) return undefined;
  if (!isNumeric(use.input)) return textIn(use);
  return form(use, roundTo(use.input, 0, use.path), /^[A-Z]/.test(written));
}

function inCase(text: string, isUpper: boolean): string {
  return isUpper ? text : text.toLowerCase();
}

function within({ path }: Use, whole: number, max: number, min = 1): number {
  if (whole >= min && whole <= max) return whole;
  throw new DataError(path, `must be from ${min} to ${max}, because a field writes it in letters`);
}

function roman(whole: number): string {
  let rest = whole;
  let text = '';
  for (const [value, sign] of ROMAN) {
    text += sign.repeat(Math.floor(rest / value));
    rest %= value;
  }
  return text;
}

/** `A` to `Z`, then `AA`, `BB`. */
function letters(whole: number): string {
  const [turn, at] = [Math.floor((whole - 1) / LETTERS), (whole - 1) % LETTERS];
  return String.fromCharCode('A'.charCodeAt(0) + at).repeat(turn + 1);
}

const SUFFIXES: Readonly<Record<string, string>> = { one: 'st', two: 'nd', few: 'rd', other: 'th' };
const ENGLISH = new Intl.PluralRules('en', { type: 'ordinal' });
/** Languages that write an ordinal with a point. */
const WITH_POINT = new Set([
  'cs',
  'da',
  'de',
  'et',
  'fi',
  'hr',
  'hu',
  'nb',
  'no',
  'pl',
  'sk',
  'sl',
  'sr',
  'tr',
]);

function ordinal({ settings: { locale }, path }: Use, whole: number): string {
  const { language } = new Intl.Locale(locale);
  if (language === 'en') return `${whole}${SUFFIXES[ENGLISH.select(Math.abs(whole))]}`;
  if (WITH_POINT.has(language)) return `${whole}.`;
  throw new DataError(path, `has no ordinal in the language ${locale}`);
}

/** An amount as on a check: `twelve and 50/100`. */
function dollars(use: Use): string {
  const { language } = new Intl.Locale(use.settings.locale);
  if (language !== 'en') throw new DataError(use.path, `has no amount in words in the language ${language}`);
  const amount = decimalOf(use.input, use.path).toDecimalPlaces(2);
  const cents = amount.abs().mod(1).times(CENTS).toFixed(0).padStart(2, '0');
  return `${inWords({ ...use, input: amount.trunc().toFixed(), args: [] })} and ${cents}/100`;
}
