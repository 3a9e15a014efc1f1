import { callOf, knownFormatter } from './calls.ts';
import { ExpressionError } from './errors.ts';
import { formatterNamed } from './formatters/table.ts';
import type { EachExpression, Expression } from './syntax-tree.ts';
import type { Token } from './tokens.ts';

/** What arguments need of the parser around them. */
export interface ArgumentSource {
  peek(ahead?: number): Token;
  next(): Token;
  takes(value: string): boolean;
  expects(value: string): void;
  /** An expression, one level deeper. */
  inner(): Expression;
  /** One without a choice, and so without a colon of its own. */
  simple(): Expression;
}

/** Methods of JavaScript that take a function of an item. */
const OF_ITEMS = new Map<string, EachExpression['what']>([
  ['filter', 'filter'],
  ['map', 'map'],
  ['find', 'find'],
  ['some', 'some'],
  ['every', 'every'],
]);
/** Selections and projections of SpEL: `people.?[age > 19]`. */
const SELECTIONS = new Map<string, EachExpression['what']>([
  ['?', 'filter'],
  ['!', 'map'],
  ['^', 'find'],
  ['$', 'findLast'],
]);

/** Arguments up to the closing parenthesis. `offset`: how many stand before the first parameter. */
export function namedArguments(
  source: ArgumentSource,
  name: string,
  offset: number,
): { positional: Expression[]; named: Map<string, Expression> } {
  const positional: Expression[] = [];
  const named = new Map<string, Expression>();
  while (!source.takes(')')) {
    if (positional.length + named.size > 0) source.expects(',');
    if (source.peek().type === 'word' && source.peek(1).value === '=' && source.peek(1).type === 'sign') {
      const key = source.next().value;
      source.next();
      named.set(key, source.inner());
    } else positional.push(argument(source, name, positional.length - offset));
  }
  return { positional, named };
}

/** Arguments after a colon: `f:x:y` of Angular, `f: x, y` of Liquid. */
export function colonArguments(source: ArgumentSource, name: string, separator: ',' | ':'): Expression[] {
  const args: Expression[] = [];
  if (!source.takes(':')) return args;
  do args.push(argument(source, name, args.length));
  while (source.takes(separator));
  return args;
}

/** One argument. A comparison may stand without quotes where one is wanted. */
function argument(source: ArgumentSource, name: string, index: number): Expression {
  const wanted = formatterNamed(name)?.parameters?.[index]?.kind;
  if (wanted === 'operator' && source.peek().type === 'sign')
    return { kind: 'literal', value: source.next().value };
  return source.peek(-1).value === ':' ? source.simple() : source.inner();
}

/** Expressions with commas between them. */
export function itemsUntil(source: ArgumentSource, closing: string): Expression[] {
  const items: Expression[] = [];
  while (!source.takes(closing)) {
    if (items.length > 0) source.expects(',');
    items.push(source.inner());
  }
  return items;
}

/** `name: value` pairs up to the closing brace. */
export function entriesUntil(source: ArgumentSource): [name: string, value: Expression][] {
  const entries: [string, Expression][] = [];
  while (!source.takes('}')) {
    if (entries.length > 0) source.expects(',');
    const { type, value } = source.next();
    if (type !== 'word' && type !== 'text')
      throw new ExpressionError('an object is written “{ name: value }”');
    source.expects(':');
    entries.push([value, source.inner()]);
  }
  return entries;
}

/** `list.?[condition]` of SpEL, behind the dot. Undefined for anything else. */
export function selection(source: ArgumentSource, list: Expression): Expression | undefined {
  const what = source.peek(1).value === '[' ? SELECTIONS.get(source.peek().value) : undefined;
  if (what === undefined) return undefined;
  source.next();
  source.expects('[');
  const body = source.inner();
  source.expects(']');
  return { kind: 'each', what, list, variable: undefined, body };
}

/** `list.filter(x => x.age > 19)`, from its parenthesis on. Undefined for anything else. */
export function functionOfItems(
  source: ArgumentSource,
  list: Expression,
  name: string,
): Expression | undefined {
  const isFunction =
    source.peek(2).value === '=>' || (source.peek(1).value === '(' && source.peek(4).value === '=>');
  const what = isFunction ? OF_ITEMS.get(name) : undefined;
  if (what === undefined) return undefined;
  source.expects('(');
  const isEnclosed = source.takes('(');
  const { type, value: variable } = source.next();
  if (type !== 'word') throw new ExpressionError('a function of an item is written “item => …”');
  if (isEnclosed) source.expects(')');
  source.expects('=>');
  const body = source.inner();
  source.expects(')');
  return { kind: 'each', what, list, variable, body };
}

/** `a[1:3]`, `a[:2]` and `a[-2:]` of Python, from behind the colon on. */
export function slice(source: ArgumentSource, input: Expression, start: Expression): Expression {
  const end = source.peek().value === ']' ? [] : [source.inner()];
  source.expects(']');
  return { kind: 'format', input, ...callOf(knownFormatter('slice'), [start, ...end]) };
}
