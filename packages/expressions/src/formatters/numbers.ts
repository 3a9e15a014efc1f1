import { type Arithmetic, compute, decimalOf, numberOf, roundTo } from '../decimals.ts';
import { DataError } from '../errors.ts';
import type { Json } from '../json.ts';
import { type Formatter, textArgument, type Use, wholeArgument } from './formatter.ts';
import { inWords } from './words.ts';

const DECIMALS_MAX = 20;
/** More decimals than these are noise of binary fractions. */
const DECIMALS_SHOWN_MAX = 15;
const FORMATS_MAX = 200;

/** Creating a formatter of Intl takes a thousand times as long as using it. */
const formats = new Map<string, Intl.NumberFormat>();

/** The formatter of a language with some options, which `key` names. */
export function numberFormat(
  locale: string,
  options: Intl.NumberFormatOptions,
  key: string,
): Intl.NumberFormat {
  const name = `${locale} ${key}`;
  const known = formats.get(name);
  if (known !== undefined) return known;
  if (formats.size >= FORMATS_MAX) formats.clear();
  const format = new Intl.NumberFormat(locale, {
    roundingMode: 'halfExpand',
    // No sign before a number that is rounded to 0.
    signDisplay: 'negative',
    ...options,
  });
  formats.set(name, format);
  return format;
}

/** The input in a form that Intl shows exactly: a JSON number, or the digits of a numeric text. */
export function shownBy(format: Intl.NumberFormat, { input, path }: Use): string {
  if (typeof input === 'number') return format.format(input);
  return format.format(decimalOf(input, path).toFixed() as Intl.StringNumericLiteral);
}

function decimals(digits: number | undefined, otherwise: number): Intl.NumberFormatOptions {
  return digits === undefined
    ? { maximumFractionDigits: otherwise }
    : { minimumFractionDigits: digits, maximumFractionDigits: digits };
}

function asNumber(use: Use, otherwise?: number): string {
  const digits = wholeArgument(use, 0, { max: DECIMALS_MAX, otherwise });
  const { locale } = use.settings;
  return shownBy(numberFormat(locale, decimals(digits, DECIMALS_SHOWN_MAX), `${digits}`), use);
}

function asPercent(use: Use): string {
  const digits = wholeArgument(use, 0, { max: DECIMALS_MAX, otherwise: undefined });
  const options = { style: 'percent', ...decimals(digits, DECIMALS_SHOWN_MAX - 2) } as const;
  return shownBy(numberFormat(use.settings.locale, options, `% ${digits}`), use);
}

/** `currency('EUR')`, `currency('EUR', 0)`; without a code, the currency of the document. */
export function asCurrency(use: Use, code: string | undefined, digits: number | undefined): string {
  const currency = (code ?? use.settings.currency)?.toUpperCase();
  if (currency === undefined) {
    throw new DataError(use.path, 'needs a currency: name it in the mark or in the options');
  }
  if (!/^[A-Z]{3}$/.test(currency))
    throw new DataError(use.path, `“${currency.slice(0, 20)}” is not a currency code`);
  const options = {
    style: 'currency',
    currency,
    ...(digits === undefined ? {} : decimals(digits, 0)),
  } as const;
  return shownBy(numberFormat(use.settings.locale, options, `${currency} ${digits}`), use);
}

/** Carbone's formatC(precisionOrFormat, currency): `2`, or `L`, `LL` and `M`, which differ by how they name it. */
function carboneCurrency(use: Use): string {
  const [precision] = use.args;
  const code = textArgument(use, 1, '') || undefined;
  if (typeof precision === 'string' && /^[A-Z]{3}$/.test(precision))
    return asCurrency(use, precision, undefined);
  if (precision === 'M' || precision === 'LL') {
    const currency = code ?? use.settings.currency;
    if (currency === undefined) return asCurrency(use, undefined, undefined);
    const display = precision === 'M' ? 'name' : 'code';
    const options = { style: 'currency', currency, currencyDisplay: display } as const;
    return shownBy(numberFormat(use.settings.locale, options, `${currency} ${display}`), use);
  }
  const isPlain = precision === undefined || precision === null || precision === 'L';
  return asCurrency(
    use,
    code,
    isPlain ? undefined : wholeArgument(use, 0, { max: DECIMALS_MAX, otherwise: 2 }),
  );
}

function rounded(use: Use): number {
  const digits = wholeArgument(use, 0, { min: -DECIMALS_MAX, max: DECIMALS_MAX, otherwise: 0 });
  const method = textArgument(use, 1, 'common');
  const mode = method === 'ceil' ? 'up' : method === 'floor' ? 'down' : undefined;
  if (mode === undefined && method !== 'common')
    throw new DataError(use.path, `“${method}” is not a way to round`);
  return roundTo(use.input, digits, use.path, mode);
}

function fixed(use: Use): string {
  const digits = wholeArgument(use, 0, { max: DECIMALS_MAX, otherwise: 0 });
  return decimalOf(use.input, use.path).toDecimalPlaces(digits).plus(0).toFixed(digits);
}

function operation(name: string, aliases: readonly string[], operator: Arithmetic): Formatter {
  return {
    name,
    aliases,
    parameters: [{ name: 'number', isRequired: true, kind: 'number' }],
    hint: 'number',
    apply: ({ input, args: [other], path }): Json | undefined => {
      if (other === null || other === undefined) return undefined;
      return compute(operator, { value: input, path }, { value: other, path });
    },
  };
}

/** A text that is not a number is 0 or the argument in Jinja; here it is a mistake in the data. */
const asInteger = ({ input, path }: Use) => roundTo(decimalOf(input, path).trunc().toFixed(), 0, path);

const RANGE_MAX = 100_000;

/** The numbers of Python's `range(end)`, `range(start, end)` and `range(start, end, step)`. */
function rangeOf(use: Use): number[] {
  const { input, path, settings, args } = use;
  const [second, step = 1] = args;
  const count = Array.isArray(input) ? input.length : input;
  const [from, to] = second === undefined || second === null ? [0, count] : [count, second];
  const [start, end, width] = [from, to, step ?? 1].map((value) => numberOf(value, path)) as [
    number,
    number,
    number,
  ];
  const length = width === 0 ? 0 : Math.max(0, Math.ceil((end - start) / width));
  if (length > RANGE_MAX) throw new DataError(path, `has more than ${RANGE_MAX} numbers`);
  settings.spend(length);
  return Array.from({ length }, (_, index) => start + index * width);
}

const DIGITS = [{ name: 'digits' }] as const;

export const NUMBERS: readonly Formatter[] = [
  { name: 'number', parameters: DIGITS, hint: 'number', apply: (use) => asNumber(use) },
  { name: 'formatN', parameters: DIGITS, hint: 'number', apply: (use) => asNumber(use, 3) },
  { name: 'percent', parameters: DIGITS, hint: 'number', apply: asPercent },
  {
    name: 'currency',
    // `decimals=False` is what docassemble has.
    parameters: [{ name: 'code' }, { name: 'digits' }, { name: 'decimals' }],
    hint: 'number',
    apply: (use) =>
      asCurrency(
        use,
        textArgument(use, 0, '') || undefined,
        wholeArgument(use, 1, { max: DECIMALS_MAX, otherwise: use.args[2] === false ? 0 : undefined }),
      ),
  },
  {
    name: 'formatC',
    parameters: [{ name: 'digits' }, { name: 'code' }],
    hint: 'number',
    apply: carboneCurrency,
  },
  { name: 'round', parameters: [{ name: 'precision' }, { name: 'method' }], hint: 'number', apply: rounded },
  { name: 'toFixed', parameters: DIGITS, hint: 'number', apply: fixed },
  { name: 'ceil', hint: 'number', apply: ({ input, path }) => roundTo(input, 0, path, 'up') },
  { name: 'floor', hint: 'number', apply: ({ input, path }) => roundTo(input, 0, path, 'down') },
  { name: 'int', hint: 'number', apply: asInteger },
  { name: 'float', hint: 'number', apply: ({ input, path }) => numberOf(input, path) },
  { name: 'abs', hint: 'number', apply: ({ input, path }) => Math.abs(numberOf(input, path)) },
  operation('add', ['plus'], '+'),
  operation('sub', ['minus'], '-'),
  operation('mul', ['times'], '*'),
  operation('div', ['divided_by'], '/'),
  operation('mod', ['modulo'], '%'),
  {
    name: 'range',
    makesOther: true,
    parameters: [{ name: 'end' }, { name: 'step' }],
    hint: 'number',
    apply: rangeOf,
  },
  {
    name: 'words',
    aliases: ['toWords', 'inWords', 'num2words', 'nice_number'],
    parameters: [{ name: 'currency' }],
    hint: 'number',
    apply: (use) => inWords(use),
  },
];
