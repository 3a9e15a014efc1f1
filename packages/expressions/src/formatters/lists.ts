import { areEqual, compare, compute, describe, sumOf } from '../decimals.ts';
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
function pickedOf(use: Use, index: number): readonly (Json | undefined)[] {
  const items = itemsOf(use);
  const inner = textArgument(use, index, '');
  return inner === '' || inner === '.' ? items : items.map((item) => followPath(item, inner));
}

/** The place of what an item has. Only mistakes need it. */
function placeOf(use: Use, index: number, at: number): string {
  const inner = textArgument(use, index, '');
  return `${use.path}[${at}]${inner === '' || inner === '.' ? '' : `.${inner}`}`;
}

/** Items without a value do not count. */
function extreme(use: Use, sign: 1 | -1): Json | undefined {
  let best: Json | undefined;
  for (const [at, value] of pickedOf(use, 0).entries()) {
    if (value === null || value === undefined) continue;
    const areNumbers = typeof value === 'number' && typeof best === 'number';
    const order = areNumbers
      ? value - (best as number)
      : compare({ value, path: placeOf(use, 0, at) }, { value: best, path: use.path });
    if (best === undefined || (order ?? 0) * sign > 0) best = value;
  }
  return best;
}

function joined(use: Use): string {
  const separator = textArgument(use, 0, ', ').replaceAll('\\n', '\n');
  let joint = '';
  for (const [at, value] of pickedOf(use, 1).entries()) {
    const isPlain = typeof value !== 'object' || value === null;
    const text = isPlain ? use.settings.text(value) : use.settings.text(value, placeOf(use, 1, at));
    joint = at === 0 ? text : joint + separator + text;
    if (joint.length > TEXT_CHARS_MAX) {
      throw new DataError(use.path, `its joined text exceeds ${TEXT_CHARS_MAX} characters`);
    }
  }
  return joint;
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

/** The property by which items are sorted, and whether downwards: `sort('-price')`, `sort(price, true)`. */
function sortingOf(use: Use): { use: Use; isDown: boolean } {
  const [attribute, reverse] = use.args;
  const isDown = [attribute, reverse].some((value) => value === true || value === 'desc' || value === -1);
  const sign = typeof attribute === 'string' ? /^[-+]/.exec(attribute)?.[0] : undefined;
  const path = typeof attribute === 'string' ? attribute.slice(sign?.length ?? 0) : null;
  return { use: { ...use, args: [path] }, isDown: isDown !== (sign === '-') };
}

/** Numbers come before texts before missing values, and texts follow the rules of the language. */
function sorted(original: Use): Json[] {
  const { use, isDown } = sortingOf(original);
  const items = itemsOf(use);
  const { compare: collate } = collatorOf(use.settings.locale);
  const sign = isDown ? -1 : 1;
  const rank = (value: Json) => (value === null ? 2 : typeof value === 'string' ? 1 : 0);
  const keys = pickedOf(use, 0).map((value, index) => {
    if (typeof value !== 'object' || value === null) return { key: value ?? null, index };
    throw new DataError(
      placeOf(use, 0, index),
      `${describe(value)} cannot be compared; name one of its properties`,
    );
  });
  const chars = keys.reduce((sum, { key }) => sum + (typeof key === 'string' ? key.length : 0), 0);
  // Texts that begin alike are compared to their ends.
  use.settings.spend((items.length + (chars >> 6)) * Math.ceil(Math.log2(items.length + 1)));
  keys.sort(({ key: a, index: i }, { key: b, index: j }) => {
    if (a === null || b === null) return rank(a) - rank(b) || i - j;
    const byRank = rank(a) - rank(b);
    const byValue = typeof a === 'string' ? collate(a, String(b)) : Number(a) - Number(b);
    return (byRank || byValue) * sign || i - j;
  });
  return keys.map(({ index }) => items[index] ?? null);
}

/** The comparisons of filters, by their names. */
export const OPERATORS: Readonly<Record<string, string>> = {
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
  const { args, path } = use;
  // `filter(path, value)` compares with ==.
  const [, operator, other] = args.length === 2 ? [args[0], '==', args[1]] : args;
  const name = operator === undefined || operator === null ? 'true' : String(operator);
  const known = name === 'true' || !Object.hasOwn(OPERATORS, name) ? undefined : OPERATORS[name];
  if (known === undefined && name !== 'true') {
    throw new DataError(path, `${describe(name)} is not a comparison for a filter`);
  }
  const keys = pickedOf(use, 0);
  return itemsOf(use).filter((_, at) => {
    const value = keys[at];
    const holds = known === undefined ? isTruthy(value) : isRelated(known, { use, value, other, at });
    return holds === isWanted;
  });
}

interface Relation {
  use: Use;
  value: Json | undefined;
  other: Json | undefined;
  at: number;
}

function isRelated(operator: string, { use, value, other, at }: Relation): boolean {
  const spend = (units: number) => use.settings.spend(units);
  const isAmong = (item: Json | undefined, whole: Json | undefined) => {
    if (typeof item === 'string' && typeof whole === 'string') {
      spend(whole.length >> 6);
      return whole.includes(item);
    }
    if (!isArray(whole)) return false;
    spend(whole.length);
    return whole.some((one) => areEqual(one, item, { spend }));
  };
  switch (operator) {
    case '==':
    case '!=':
      return areEqual(value, other, { spend }) === (operator === '==');
    case 'in':
      return isAmong(value, other);
    case 'contains':
      return isAmong(other, value);
  }
  if (value === null || value === undefined) return false;
  const order = compare({ value, path: placeOf(use, 0, at) }, { value: other, path: use.path });
  if (order === undefined) return false;
  if (operator === '<' || operator === '<=') return order < 0 || (operator === '<=' && order === 0);
  return order > 0 || (operator === '>=' && order === 0);
}

function unique(use: Use): Json[] {
  const seen = new Set<Json | undefined>();
  const keys = pickedOf(use, 0);
  return itemsOf(use).filter((_, at) => {
    const value = keys[at];
    if (typeof value === 'object' && value !== null) {
      throw new DataError(
        placeOf(use, 0, at),
        `${describe(value)} cannot be compared; name one of its properties`,
      );
    }
    return seen.has(value) ? false : seen.add(value) !== undefined;
  });
}

function summed(use: Use): number {
  return sumOf(pickedOf(use, 0), (at) => (at === undefined ? use.path : placeOf(use, 0, at)));
}

function average(use: Use): number | undefined {
  const numbers = pickedOf(use, 0).filter((value) => value !== null && value !== undefined);
  if (numbers.length === 0) return undefined;
  const total = { value: summed(use), path: use.path };
  return compute('/', total, { value: numbers.length, path: use.path });
}

function countOf(use: Use): number {
  const { input, path, settings } = use;
  if (isArray(input)) return input.length;
  if (input === null || input === undefined) return 0;
  if (typeof input === 'object') return Object.keys(input).length;
  return [...settings.text(input, path)].length;
}

const PATH = [{ name: 'attribute', kind: 'path' }] as const;
const OF_NUMBERS = { parameters: PATH, hint: 'array', items: 'number' } as const;
const OF_ANY = { parameters: PATH, hint: 'array', items: 'sum' } as const;
const FILTER = [
  { name: 'attribute', kind: 'path', isRequired: true },
  { name: 'operator', kind: 'operator' },
  { name: 'value' },
] as const;

export const LISTS: readonly Formatter[] = [
  {
    name: 'count',
    aliases: ['length', 'len', 'size', 'aggCount'],
    takesMissing: true,
    hint: 'array',
    apply: countOf,
  },
  {
    name: 'join',
    aliases: ['arrayJoin'],
    parameters: [{ name: 'separator' }, { name: 'attribute', kind: 'path' }],
    hint: 'array',
    apply: joined,
  },
  { name: 'sum', aliases: ['aggSum'], ...OF_NUMBERS, apply: summed },
  { name: 'avg', aliases: ['average', 'mean', 'aggAvg'], ...OF_NUMBERS, apply: average },
  { name: 'min', aliases: ['aggMin'], ...OF_ANY, apply: (use) => extreme(use, -1) },
  { name: 'max', aliases: ['aggMax'], ...OF_ANY, apply: (use) => extreme(use, 1) },
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
    apply: (use) => pickedOf(use, 0).map((value) => value ?? null),
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
