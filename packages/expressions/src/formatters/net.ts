import { isNumeric } from '../decimals.ts';
import { DataError } from '../errors.ts';
import type { Json } from '../json.ts';
import { DATES } from './dates.ts';
import { type Formatter, textArgument, textIn, type Use } from './formatter.ts';
import { asCurrency, numberFormat, shownBy } from './numbers.ts';

const STANDARD = /^([A-Za-z])(\d{0,2})$/;
const CUSTOM = /^([^0#.,]*)([#0,]+)(?:\.([0#]+))?([^0#.,;%]*)$/;
const DIGITS = 2;
const SHOWN_MAX = 15;
const DATED = /^\s*(?:\d{4}-?\d\d-?\d\d|\d\d:\d\d)/;

/** The standard patterns of .NET for dates, as those of moment. */
const DATE_PATTERNS: Readonly<Record<string, string>> = {
  d: 'L',
  D: 'LL',
  t: 'LT',
  T: 'LTS',
  g: 'L LT',
  G: 'L LTS',
  f: 'LL LT',
  F: 'LL LTS',
};

/** `f(n2)` and `f(dd.MM.yyyy)` of DocxTemplater for .NET. A text that is neither a number nor a date stays. */
function formatted(use: Use): Json | undefined {
  const pattern = textArgument(use, 0, '');
  if (isNumeric(use.input)) return numberIn(use, pattern);
  if (typeof use.input !== 'string' || !DATED.test(use.input)) return textIn(use);
  const names = (DATE_PATTERNS[pattern] ?? pattern).split(' ');
  const isNamed = Object.hasOwn(DATE_PATTERNS, pattern);
  const date = (name: string) => DATES.find((own) => own.name === 'date')?.apply({ ...use, args: [name] });
  return isNamed ? names.map(date).join(' ') : date(pattern.replaceAll('tt', 'AM/PM'));
}

function numberIn(use: Use, pattern: string): string {
  const { locale } = use.settings;
  const [, letter, written = ''] = STANDARD.exec(pattern) ?? [];
  const shown = (options: Intl.NumberFormatOptions) =>
    shownBy(numberFormat(locale, options, `net ${pattern}`), use);
  const exactly = (digits: number) => ({ minimumFractionDigits: digits, maximumFractionDigits: digits });
  const digits = written === '' ? DIGITS : Number(written);
  switch (letter?.toLowerCase()) {
    case undefined:
      return custom(use, pattern);
    case 'c':
      return asCurrency(use, undefined, written === '' ? undefined : digits);
    case 'n':
      return shown(exactly(digits));
    case 'f':
      return shown({ ...exactly(digits), useGrouping: false });
    case 'p':
      return shown({ ...exactly(digits), style: 'percent' });
    case 'd':
      return shown({ ...exactly(0), useGrouping: false, minimumIntegerDigits: Number(written) || 1 });
    case 'g':
      return shown({ maximumFractionDigits: SHOWN_MAX, useGrouping: false });
    default:
      throw new DataError(use.path, `“${pattern}” is not a pattern for numbers`);
  }
}

/** `#,##0.00`, whose signs are those of the language. */
function custom(use: Use, pattern: string): string {
  const [, before = '', whole, fraction = '', after = ''] = CUSTOM.exec(pattern) ?? [];
  if (whole === undefined)
    throw new DataError(use.path, `“${pattern.slice(0, 20)}” is not a pattern for numbers`);
  const count = (text: string, sign: string) => text.split(sign).length - 1;
  const options = {
    minimumIntegerDigits: Math.max(count(whole, '0'), 1),
    minimumFractionDigits: count(fraction, '0'),
    maximumFractionDigits: fraction.length,
    useGrouping: whole.includes(','),
  };
  return before + shownBy(numberFormat(use.settings.locale, options, `net ${pattern}`), use) + after;
}

/** Patterns of .NET. The name is internal. */
export const NET: Formatter = {
  name: 'netFormat',
  parameters: [{ name: 'pattern', isRequired: true }],
  apply: formatted,
};
