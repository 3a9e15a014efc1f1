import type { Decimal } from 'decimal.js';
import type { Json } from '../json.ts';
import {
  bounded,
  type FormatContext,
  type FormatterList,
  isMissing,
  ofPresent,
  wholeNumber,
} from './formatter.ts';

const ITEMS_MAX = 1_000_000;

/** What lists contain, and lists of some of their items. */
export const LIST_FORMATTERS: FormatterList = [
  [
    'join arrayJoin',
    ofPresent((value, [separator], context) => {
      const between = isMissing(separator) ? ', ' : context.text(separator);
      return bounded(
        listOf(value, context)
          .map((item) => printed(item, context))
          .join(between),
        context,
      );
    }),
  ],
  ['count length len', (value, _, context) => lengthOf(value, context)],
  ['sum aggSum', (value, [path], context) => total(numbersOf(value, path, context))?.toNumber() ?? 0],
  [
    'avg average aggAvg',
    (value, [path], context) => {
      const numbers = numbersOf(value, path, context);
      return total(numbers)?.dividedBy(numbers.length).toNumber();
    },
  ],
  ['min aggMin', (value, [path], context) => extreme(numbersOf(value, path, context), -1)],
  ['max aggMax', (value, [path], context) => extreme(numbersOf(value, path, context), 1)],
  ['first', ofPresent((value, _, context) => listOf(value, context)[0] ?? null)],
  ['last', ofPresent((value, _, context) => listOf(value, context).at(-1) ?? null)],
  ['reverse', ofPresent((value, _, context) => [...listOf(value, context)].reverse())],
  [
    'unique',
    ofPresent((value, _, context) => {
      const known = new Set<string>();
      return listOf(value, context).filter((item) => {
        const key = JSON.stringify(item);
        return !known.has(key) && known.add(key);
      });
    }),
  ],
  [
    'slice',
    ofPresent((value, [from, to], context) => {
      const list = listOf(value, context);
      const at = (index: Json | undefined, fallback: number) =>
        wholeNumber(index, { fallback, min: -ITEMS_MAX, max: ITEMS_MAX }, context);
      return list.slice(at(from, 0), at(to, list.length));
    }),
  ],
  ['sort', ofPresent((value, [path], context) => sorted(listOf(value, context), path, context))],
  [
    'map',
    ofPresent((value, [path], context) =>
      listOf(value, context).map((item) => at(item, path, context) ?? null),
    ),
  ],
  [
    'filter where',
    ofPresent((value, args, context) => listOf(value, context).filter((item) => isMet(item, args, context))),
  ],
];

function listOf(value: Json, { fail }: FormatContext): readonly Json[] {
  return Array.isArray(value) ? value : fail('must be a list');
}

function lengthOf(value: Json | undefined, { fail }: FormatContext): number {
  if (isMissing(value)) return 0;
  if (typeof value === 'string') return [...value].length;
  if (typeof value !== 'object') return fail('must be a list or a text');
  return Array.isArray(value) ? value.length : Object.keys(value).length;
}

function printed(item: Json, { text, fail }: FormatContext): string {
  return typeof item === 'object' && item !== null ? fail('must be a list of texts or numbers') : text(item);
}

/** The value at a path of own properties. Without a path, the item itself. */
function at(item: Json, path: Json | undefined, { text }: FormatContext): Json | undefined {
  if (isMissing(path) || path === '') return item;
  let value: Json | undefined = item;
  for (const step of text(path).replace(/^\./, '').split('.')) {
    const isThere: boolean = typeof value === 'object' && value !== null && Object.hasOwn(value, step);
    value = isThere ? (value as Record<string, Json>)[step] : undefined;
  }
  return value;
}

function numbersOf(value: Json | undefined, path: Json | undefined, context: FormatContext): Decimal[] {
  if (isMissing(value)) return [];
  return listOf(value, context)
    .map((item) => at(item, path, context))
    .filter((item) => !isMissing(item) && item !== '')
    .map(context.decimal);
}

function total(numbers: readonly Decimal[]): Decimal | undefined {
  return numbers.length === 0 ? undefined : numbers.reduce((sum, number) => sum.plus(number));
}

function extreme(numbers: readonly Decimal[], sign: 1 | -1): number | undefined {
  if (numbers.length === 0) return undefined;
  return numbers.reduce((best, number) => (number.comparedTo(best) === sign ? number : best)).toNumber();
}

/** Numbers by value before texts by the order of the language. A leading `-` in the path turns the order. */
function sorted(list: readonly Json[], path: Json | undefined, context: FormatContext): Json[] {
  const isDown = typeof path === 'string' && path.startsWith('-');
  const key = isDown ? path.slice(1) : path;
  const keyed = list.map((item) => ({ item, key: at(item, key, context) }));
  keyed.sort((a, b) => (isDown ? -1 : 1) * order(a.key, b.key, context));
  return keyed.map(({ item }) => item);
}

function order(left: Json | undefined, right: Json | undefined, context: FormatContext): number {
  if (isMissing(left) || isMissing(right)) return Number(isMissing(left)) - Number(isMissing(right));
  if (typeof left === 'number' && typeof right === 'number') return left - right;
  return context.locale.compare(context.text(left), context.text(right));
}

/** Whether an item is kept: `filter(path)`, `filter(path, value)` or `filter(path, op, value)`. */
function isMet(item: Json, args: readonly (Json | undefined)[], context: FormatContext): boolean {
  const found = at(item, args[0], context);
  if (args.length < 2) return !isMissing(found) && found !== false && found !== '' && found !== 0;
  const [operator, wanted] = args.length === 2 ? ['==', args[1]] : [context.text(args[1]), args[2]];
  switch (operator) {
    case '==':
    case 'eq':
      return context.areEqual(found, wanted);
    case '!=':
    case 'ne':
      return !context.areEqual(found, wanted);
    case '<':
    case 'lt':
      return !isMissing(found) && context.decimal(found).lessThan(context.decimal(wanted));
    case '<=':
    case 'lte':
      return !isMissing(found) && context.decimal(found).lessThanOrEqualTo(context.decimal(wanted));
    case '>':
    case 'gt':
      return !isMissing(found) && context.decimal(found).greaterThan(context.decimal(wanted));
    case '>=':
    case 'gte':
      return !isMissing(found) && context.decimal(found).greaterThanOrEqualTo(context.decimal(wanted));
    default:
      return context.fail(`is filtered with the unknown operator “${String(operator).slice(0, 40)}”`);
  }
}
