import type { Json } from '../json.ts';
import { wordsOf } from '../words.ts';
import { type FormatContext, type FormatterList, isMissing, ofPresent, wholeNumber } from './formatter.ts';

const DIGITS_MAX = 20;
const FREE_DIGITS = 15;
const CURRENCY = /^[A-Za-z]{3}$/;

/** Arithmetic, rounding, and numbers in the conventions of the language. */
export const NUMBER_FORMATTERS: FormatterList = [
  ['number formatN', ofPresent((value, [digits], context) => number(value, digits, context))],
  ['currency formatC', ofPresent(currency)],
  [
    'percent',
    ofPresent((value, [digits], context) => {
      const count = wholeNumber(digits, { fallback: 0, max: DIGITS_MAX }, context);
      const options = {
        style: 'percent',
        minimumFractionDigits: count,
        maximumFractionDigits: count,
      } as const;
      return context.locale.number(context.decimal(value).toFixed(), options);
    }),
  ],
  [
    'words num2words',
    ofPresent((value, _, context) => wordsOf(context.decimal(value), context.locale.name, context.fail)),
  ],
  [
    'round toFixed',
    ofPresent((value, [digits], context) => {
      const count = wholeNumber(digits, { fallback: 0, max: DIGITS_MAX }, context);
      return context.decimal(value).toDecimalPlaces(count).toNumber();
    }),
  ],
  ['int floor', ofPresent((value, _, { decimal }) => decimal(value).floor().toNumber())],
  ['ceil', ofPresent((value, _, { decimal }) => decimal(value).ceil().toNumber())],
  ['float', ofPresent((value, _, { decimal }) => decimal(value).toNumber())],
  ['abs', ofPresent((value, _, { decimal }) => decimal(value).abs().toNumber())],
  ['add plus', ofPresent((value, [other], { decimal }) => decimal(value).plus(decimal(other)).toNumber())],
  ['sub minus', ofPresent((value, [other], { decimal }) => decimal(value).minus(decimal(other)).toNumber())],
  ['mul times', ofPresent((value, [other], { decimal }) => decimal(value).times(decimal(other)).toNumber())],
  [
    'div',
    ofPresent((value, [other], { decimal, fail }) => {
      const divisor = decimal(other);
      return divisor.isZero() ? fail('is divided by 0') : decimal(value).dividedBy(divisor).toNumber();
    }),
  ],
];

function number(value: Json, digits: Json | undefined, context: FormatContext): string {
  const text = context.decimal(value).toFixed();
  if (isMissing(digits)) return context.locale.number(text, { maximumFractionDigits: FREE_DIGITS });
  const picture = typeof digits === 'string' ? /^[#,0]*[#0](?:[.]([0#]+))?$/.exec(digits) : null;
  const isPicture = picture !== null && !/^\d+$/.test(String(digits).replace(/^0$/, ''));
  if (isPicture) return pictured(text, String(digits), context);
  const count = wholeNumber(digits, { fallback: 0, max: DIGITS_MAX }, context);
  return context.locale.number(text, { minimumFractionDigits: count, maximumFractionDigits: count });
}

/** A number with a picture such as `#,##0.00`. */
function pictured(text: string, picture: string, { locale }: FormatContext): string {
  const [whole = '', fraction = ''] = picture.split('.');
  return locale.number(text, {
    minimumIntegerDigits: Math.max(1, Math.min(21, whole.replace(/[^0]/g, '').length)),
    minimumFractionDigits: Math.min(DIGITS_MAX, fraction.replace(/[^0]/g, '').length),
    maximumFractionDigits: Math.min(DIGITS_MAX, fraction.length),
    useGrouping: whole.includes(','),
  });
}

function currency(value: Json, args: readonly (Json | undefined)[], context: FormatContext): string {
  const { locale, fail, decimal } = context;
  const [first] = args;
  const isDigits = typeof first === 'number' || (typeof first === 'string' && /^\d+$/.test(first));
  const code = isDigits || isMissing(first) ? locale.currency : String(first);
  const digits = isDigits ? first : args[1];
  if (code === undefined)
    return fail(
      'is formatted as money without a currency: name it in the formatter or in `options.currency`',
    );
  if (!CURRENCY.test(code))
    return fail(`is formatted with “${code.slice(0, 40)}”, which is not a currency code`);
  const count = isMissing(digits)
    ? undefined
    : wholeNumber(digits, { fallback: 2, max: DIGITS_MAX }, context);
  return locale.number(decimal(value).toFixed(), {
    style: 'currency',
    currency: code.toUpperCase(),
    ...(count !== undefined && { minimumFractionDigits: count, maximumFractionDigits: count }),
  });
}
