import { formatPicture } from '../date-pattern.ts';
import { costOf, PATTERN_CHARS_MAX } from '../date-pieces.ts';
import { dateOf } from '../dates.ts';
import { decimalOf, describe, isNumeric } from '../decimals.ts';
import { DataError } from '../errors.ts';
import { type Formatter, textArgument, textIn, type Use } from './formatter.ts';
import { numberFormat } from './numbers.ts';
import { generalNumber } from './word-numbers.ts';

/** `\@ "d. MMMM yyyy"` (ECMA-376-1 §17.16.4.1). A text that is not a date stays, as in Word. */
function inPicture(use: Use): string {
  const picture = pictureOf(use);
  const isDated = typeof use.input === 'string' && /^\s*(?:\d{4}-?\d\d-?\d\d|\d\d:\d\d)/.test(use.input);
  if (!isDated) return textIn(use);
  const { settings, path, input } = use;
  settings.spend(costOf(picture, true));
  return formatPicture(dateOf(input, settings.timeZone, path), picture, settings.locale);
}

function pictureOf(use: Use): string {
  const picture = textArgument(use, 0, '');
  if (picture.length > PATTERN_CHARS_MAX) throw new DataError(use.path, 'its picture is too long');
  return picture;
}

/** Digits with what groups and divides them, in a numeric picture without its quoted texts. */
const MASK = /[0#x](?:[0#x.,'’ \u00A0\u202F]*[0#x])?/;

/**
 * `\# "# ##0,00 €"` (ECMA-376-1 §17.16.4.2). The signs that divide the number are those of the picture. Where Word has
 * spaces for a `#` without a digit, there are none. A text that is not a number stays.
 */
function inDigits(use: Use): string {
  if (!isNumeric(use.input)) return textIn(use);
  const value = decimalOf(use.input, use.path);
  const [positive = '', negative, zero] = sectionsOf(pictureOf(use));
  const isNegative = value.isNegative() && !value.isZero();
  const picture = value.isZero() ? (zero ?? positive) : isNegative ? (negative ?? positive) : positive;
  const literals: string[] = [];
  // A quoted text could hold signs of a mask.
  const bare = picture.replace(
    /'([^']*)'/g,
    (_, literal: string) => `\uE000${literals.push(literal) - 1}\uE001`,
  );
  const unmarked = bare.replace(/\uE000\d+\uE001/g, (mark) => '\uE002'.repeat(mark.length));
  const mask = MASK.exec(unmarked);
  const withTexts = (text: string) =>
    text.replace(/\uE000(\d+)\uE001/g, (_, index: string) => literals[Number(index)] ?? '');
  if (mask === null && picture !== positive) return withTexts(bare);
  if (mask === null) throw new DataError(use.path, `${describe(picture)} is not a picture for numbers`);
  const digits = masked(value.abs().toFixed(), mask[0], decimalSign(use.settings.locale), use);
  // Nothing is left of a small number. A section for negative numbers has signs of its own.
  const sign = isNegative && negative === undefined && /[1-9]/.test(digits) ? '-' : '';
  const before = bare.slice(0, mask.index);
  const isSigned = negative === undefined && /[-+]/.test(before);
  const start = isSigned
    ? before.replace(/[-+]/, (written) => (written === '+' && sign === '' ? '+' : sign))
    : before;
  const after = bare.slice(mask.index + mask[0].length);
  return withTexts(`${isSigned ? '' : sign}${start}${digits}${after}`);
}

/** The sections of a picture. A `;` with an odd number of quotes behind it is within a text. */
function sectionsOf(picture: string): string[] {
  const pieces = picture.split("'");
  return pieces
    .map((piece, index) => ((pieces.length - index) % 2 === 1 ? piece.replaceAll(';', '\uE003') : piece))
    .join("'")
    .split('\uE003');
}

function decimalSign(locale: string): string {
  const parts = numberFormat(locale, {}, '').formatToParts(1.5);
  return parts.find(({ type }) => type === 'decimal')?.value ?? '.';
}

function masked(plain: string, mask: string, localSign: string, use: Use): string {
  const at = decimalAt(mask, localSign);
  const whole = at < 0 ? mask : mask.slice(0, at);
  const fraction = at < 0 ? '' : mask.slice(at + 1);
  const places = fraction.replace(/[^0#x]/g, '');
  const [units = '', decimals = ''] = decimalOf(plain, use.path).toFixed(places.length).split('.');
  const group = /[^0#x]/.exec(whole)?.[0] ?? '';
  const least = whole.replace(/[^0]/g, '').length;
  const all = (least === 0 && units === '0' ? '' : units).padStart(least, '0');
  // An `x` at the start drops the digits before it.
  const shown = whole.startsWith('x') ? all.slice(-whole.replace(/[^0#x]/g, '').length) : all;
  const grouped = thousandsOf(shown).join(group);
  const optional = /#*$/.exec(places)?.[0].length ?? 0;
  const kept =
    decimals.slice(0, places.length - optional) + decimals.slice(places.length - optional).replace(/0+$/, '');
  return kept === '' ? grouped : `${grouped}${mask.charAt(at)}${kept}`;
}

/** Digits in groups of three from the right. */
function thousandsOf(digits: string): string[] {
  const groups: string[] = [];
  for (let end = digits.length; end > 0; end -= 3) groups.push(digits.slice(Math.max(end - 3, 0), end));
  return groups.reverse();
}

/** Where the decimal sign of a mask stands. A lone sign with `#` before and three digits after it groups thousands. */
function decimalAt(mask: string, localSign: string): number {
  const signs = [...mask.matchAll(/[.,]/g)];
  const last = signs.at(-1);
  if (last === undefined) return -1;
  const sameSigns = signs.filter(([sign]) => sign === last[0]).length;
  if (sameSigns > 1) return -1;
  const isGroup =
    signs.length === 1 && /^[#x]*[0#x]?$/.test(mask.slice(0, last.index)) && mask.length - last.index === 4;
  return isGroup && last[0] !== localSign && mask.startsWith('#') ? -1 : last.index;
}

/** `\* Upper` and the other general switches (ECMA-376-1 §17.16.4.3). */
function inCase(use: Use): string {
  const text = textIn(use);
  const { locale } = use.settings;
  const written = textArgument(use, 0, '');
  const number = generalNumber(use, written);
  if (number !== undefined) return number;
  switch (written.toLowerCase()) {
    case 'upper':
      return text.toLocaleUpperCase(locale);
    case 'lower':
      return text.toLocaleLowerCase(locale);
    case 'firstcap':
      return text.charAt(0).toLocaleUpperCase(locale) + text.slice(1);
    case 'caps':
      return text.replace(/(?<![^\s-])\S/gu, (first) => first.toLocaleUpperCase(locale));
    // These concern the formatting of the field, not its text.
    case 'mergeformat':
    case 'charformat':
    case '':
      return text;
    default:
      throw new DataError(use.path, `the switch \\* ${written.slice(0, 20)} is not supported`);
  }
}

const PARAMETERS = [{ name: 'argument', isRequired: true }] as const;

/** The field switches of Word as formatters. Their names are internal. */
export const SWITCHES: readonly Formatter[] = [
  { name: 'wordDate', parameters: PARAMETERS, hint: 'date', apply: inPicture },
  { name: 'wordNumber', parameters: PARAMETERS, hint: 'number', apply: inDigits },
  { name: 'wordCase', parameters: PARAMETERS, apply: inCase },
  // MERGEFIELD's \b and \f: a text before or after a result that is not empty (ECMA-376-1 §17.16.5.35).
  {
    name: 'wordBefore',
    parameters: PARAMETERS,
    apply: (use) => (textIn(use) === '' ? '' : textArgument(use, 0, '') + textIn(use)),
  },
  {
    name: 'wordAfter',
    parameters: PARAMETERS,
    apply: (use) => (textIn(use) === '' ? '' : textIn(use) + textArgument(use, 0, '')),
  },
];
