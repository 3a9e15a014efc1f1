import { areEqual, compare, describe, numberOf, roundTo, sumOf } from '../decimals.ts';
import { DataError } from '../errors.ts';
import { followPath, isArray, isTruthy, type Json } from '../json.ts';
import { type Formatter, TEXT_CHARS_MAX, textArgument, type Use } from './formatter.ts';

/** The items of the input, which costs a unit of work each. */
function itemsOf({ input, path, settings }: Use): readonly Json[] {
  if (!isArray(input)) throw new DataError(path, `${describe(input)} is not an array`);
  settings.spend(input.length);
  return input;
}

/** What each item has at the path that an argument names; the item itself without an argument. */
function pickedOf(use: Use, index: number): { value: Json | undefined; path: string }[] {
  const inner = textArgument(use, index, '');
  return itemsOf(use).map((item, at) => ({
    value: followPath(item, inner),
    path: `${use.path}[${at}]${inner === '' ? '' : `.${inner}`}`,
  }));
}

/** The numbers that an array has; items without one do not count. */
function numbersOf(use: Use): { value: Json | undefined; path: string }[] {
  return pickedOf(use, 0).filter(({ value }) => value !== null && value !== undefined);
}

function extreme(use: Use, sign: 1 | -1): Json | undefined {
  let best: { value: Json | undefined; path: string } | undefined;
  for (const candidate of numbersOf(use)) {
    if (best === undefined || (compare(candidate, best) ?? 0) * sign > 0) best = candidate;
  }
  return best?.value;
}

function joined(use: Use): string {
  const separator = textArgument(use, 0, ', ').replaceAll('\\n', '\n');
  const parts = pickedOf(use, 1);
  let length = 0;
  const texts: string[] = [];
  for (const { value, path } of parts) {
    const text = use.settings.text(value, path);
    length += text.length + separator.length;
    if (length - separator.length > TEXT_CHARS_MAX) {
      throw new DataError(use.path, `its joined text exceeds ${TEXT_CHARS_MAX} characters`);
    }
    texts.push(text);
  }
  return texts.join(separator);
}

const collators = new Map<string, Intl.Collator>();
const COLLATORS_MAX = 50;

function collatorOf(locale: string): Intl.Collator {
  const known = collators.get(locale);
  if (known !== undefined) return known;
  if (collators.size >= COLLATORS_MAX) collators.clear();
  const collator = new Intl.Collator(locale);
  collators.set(locale, collator);
  return collator;
}

/** Numbers before texts before missing values; texts by the rules of the language. */
function sorted(use: Use): Json[] {
  const { args, settings, path } = use;
  // Jinja's order is sort(reverse, case_sensitive, attribute).
  const keys = pickedOf(use, 0);
  const items = itemsOf(use);
  settings.spend(items.length * Math.ceil(Math.log2(items.length + 1)));
  const isReversed = args[1] === true || args[1] === 'desc' || args[1] === -1;
  const { compare: collate } = collatorOf(settings.locale);
  const order = keys.map(({ value, path: place }, index) => {
    if (typeof value === 'object' && value !== null)
      throw new DataError(place, 'cannot be sorted by an object');
    return { value: value ?? undefined, index };
  });
  const sign = isReversed ? -1 : 1;
  const rank = (value: Json | undefined) => (value === undefined ? 2 : typeof value === 'string' ? 1 : 0);
  order.sort(({ value: a, index: i }, { value: b, index: j }) => {
    const byRank = rank(a) - rank(b);
    if (byRank !== 0) return a === undefined || b === undefined ? byRank : byRank * sign;
    const difference = typeof a === 'string' ? collate(a, String(b)) : Number(a ?? 0) - Number(b ?? 0);
    return difference * sign || i - j;
  });
  return order.flatMap(({ index }) => {
    const item = items[index];
    if (item === undefined) throw new DataError(path, 'has a missing item');
    return [item];
  });
}

const OPERATORS: Readonly<Record<string, string>> = {
  '=': '==',
  '==': '==',
  '===': '==',
  eq: '==',
  equalto: '==',
  '!=': '!=',
  '!==': '!=',
  '<>': '!=',
  ne: '!=',
  '<': '<',
  lt: '<',
  lessthan: '<',
  '<=': '<=',
  le: '<=',
  lte: '<=',
  '>': '>',
  gt: '>',
  greaterthan: '>',
  '>=': '>=',
  ge: '>=',
  gte: '>=',
  in: 'in',
  contains: 'contains',
};

/** The items whose value at a path is related to another; without an operator, those that are true. */
function filtered(use: Use, isWanted: boolean): Json[] {
  const { args, path, settings } = use;
  // `filter(path, value)` compares with ==.
  const [, operator, other] = args.length === 2 ? [args[0], '==', args[1]] : args;
  const name = operator === undefined || operator === null ? 'true' : String(operator);
  const known = name === 'true' ? name : Object.hasOwn(OPERATORS, name) ? OPERATORS[name] : undefined;
  if (known === undefined) throw new DataError(path, `${describe(name)} is not a comparison for a filter`);
  const keys = pickedOf(use, 0);
  const spend = (units: number) => settings.spend(units);
  const holds = (key: { value: Json | undefined; path: string }): boolean => {
    if (known === 'true') return isTruthy(key.value);
    if (known === '==' || known === '!=') return areEqual(key.value, other, { spend }) === (known === '==');
    if (known === 'in') return isArray(other) && other.some((item) => areEqual(item, key.value, { spend }));
    if (known === 'contains') {
      if (isArray(key.value)) return key.value.some((item) => areEqual(item, other, { spend }));
      return typeof key.value === 'string' && typeof other === 'string' && key.value.includes(other);
    }
    const order = compare(key, { value: other, path });
    if (order === undefined) return false;
    if (known === '<' || known === '<=') return order < 0 || (known === '<=' && order === 0);
    return order > 0 || (known === '>=' && order === 0);
  };
  if (known === 'in' && isArray(other)) settings.spend(other.length * keys.length);
  return itemsOf(use).filter((_, index) => holds(keys[index] ?? { value: undefined, path }) === isWanted);
}

function unique(use: Use): Json[] {
  const seen = new Set<Json | undefined>();
  const keys = pickedOf(use, 0);
  return itemsOf(use).filter((_, index) => {
    const value = keys[index]?.value;
    if (typeof value === 'object' && value !== null) {
      throw new DataError(
        keys[index]?.path ?? use.path,
        'an object cannot be compared; name one of its properties',
      );
    }
    return seen.has(value) ? false : seen.add(value) !== undefined;
  });
}

function average(use: Use): number | undefined {
  const numbers = numbersOf(use);
  if (numbers.length === 0) return undefined;
  const total = sumOf(numbers, use.path);
  return numberOf(roundTo(total / numbers.length, 12, use.path), use.path);
}

function countOf(use: Use): number {
  const { input, path, settings } = use;
  if (isArray(input)) return input.length;
  if (input === null || input === undefined) return 0;
  if (typeof input === 'object') return Object.keys(input).length;
  return [...settings.text(input, path)].length;
}

const PATH = [{ name: 'attribute', kind: 'path' }] as const;
const FILTER = [
  { name: 'attribute', kind: 'path', isRequired: true },
  { name: 'operator', kind: 'operator' },
  { name: 'value' },
] as const;

export const LISTS: readonly Formatter[] = [
  { name: 'count', aliases: ['length', 'len', 'size'], takesMissing: true, hint: 'array', apply: countOf },
  {
    name: 'join',
    aliases: ['arrayJoin'],
    parameters: [{ name: 'separator' }, { name: 'attribute', kind: 'path' }],
    hint: 'array',
    apply: joined,
  },
  {
    name: 'sum',
    aliases: ['aggSum'],
    parameters: PATH,
    hint: 'array',
    apply: (use) => sumOf(numbersOf(use), use.path),
  },
  { name: 'avg', aliases: ['average', 'mean', 'aggAvg'], parameters: PATH, hint: 'array', apply: average },
  { name: 'min', aliases: ['aggMin'], parameters: PATH, hint: 'array', apply: (use) => extreme(use, -1) },
  { name: 'max', aliases: ['aggMax'], parameters: PATH, hint: 'array', apply: (use) => extreme(use, 1) },
  {
    name: 'sort',
    aliases: ['sortBy', 'orderBy'],
    parameters: [{ name: 'attribute', kind: 'path' }, { name: 'reverse' }],
    hint: 'array',
    apply: sorted,
  },
  {
    name: 'filter',
    aliases: ['where', 'selectattr'],
    parameters: FILTER,
    hint: 'array',
    apply: (use) => filtered(use, true),
  },
  {
    name: 'reject',
    aliases: ['rejectattr'],
    parameters: FILTER,
    hint: 'array',
    apply: (use) => filtered(use, false),
  },
  {
    name: 'map',
    aliases: ['pluck'],
    parameters: [{ name: 'attribute', kind: 'path', isRequired: true }],
    hint: 'array',
    apply: (use) => pickedOf(use, 0).map(({ value }) => value ?? null),
  },
  { name: 'unique', aliases: ['uniq'], parameters: PATH, hint: 'array', apply: unique },
  { name: 'first', apply: (use) => endOf(use, 0) },
  { name: 'last', apply: (use) => endOf(use, -1) },
  {
    name: 'reverse',
    apply: (use) =>
      isArray(use.input)
        ? itemsOf(use).toReversed()
        : [...use.settings.text(use.input, use.path)].reverse().join(''),
  },
  { name: 'list', aliases: ['toArray'], hint: 'array', apply: itemsOf },
];

function endOf({ input, path, settings }: Use, index: 0 | -1): Json | undefined {
  if (isArray(input)) return input.at(index);
  return [...settings.text(input, path)].at(index);
}
