import type { Formatter, Hint } from './formatters/formatter.ts';
import { OPERATORS } from './formatters/lists.ts';
import type { Json } from './json.ts';
import type { Comparison, Condition, Expression, Link } from './syntax-tree.ts';

/** What an expression reads of the items of a list. */
export interface ItemFacts extends Pick<Needed, 'hint' | 'sample'> {
  readonly steps: readonly string[];
}

/** What an expression makes of a value. */
export interface Needed {
  /** What the expression needs the value to be. */
  readonly hint: Hint;
  /** The result of the expression is the value itself, or what a formatter makes of it. */
  readonly isResult: boolean;
  /** The expression has a result without the value, or may have one. */
  readonly isOptional: boolean;
  /** A value with which a comparison is true, or that a pattern can read. */
  readonly sample?: Json;
  /** What a formatter needs of each item of a list. */
  readonly items?: readonly ItemFacts[];
}

const COMPARISONS: Readonly<Partial<Record<Condition, Comparison>>> = {
  ifEQ: '==',
  ifNE: '!=',
  ifGT: '>',
  ifGTE: '>=',
  ifLT: '<',
  ifLTE: '<=',
};

export function ofCondition({ condition, value }: Extract<Link, { type: 'if' | 'match' }>): Partial<Needed> {
  const comparison = COMPARISONS[condition];
  if (comparison === undefined || value?.kind !== 'literal') return {};
  return compared(comparison, value.value);
}

/** A value that relates so to another, and what it has to be. */
function compared(operator: Comparison, other: Json): Partial<Needed> {
  if (typeof other === 'number') {
    const step = { '<': -1, '>': 1, '!=': 1, '!==': 1 }[operator as string] ?? 0;
    return { hint: 'number', sample: other + step };
  }
  const isOther = operator === '!=' || operator === '!==';
  if (other === null) return { hint: 'boolean' };
  if (typeof other === 'boolean') return { hint: 'boolean', sample: other !== isOther };
  if (isOther) return {};
  if (operator === 'in') return Array.isArray(other) && other.length > 0 ? { sample: other[0] as Json } : {};
  return typeof other === 'object' || operator === 'not in' ? {} : { sample: other };
}

export const MIRRORED: Readonly<Partial<Record<Comparison, Comparison>>> = {
  '<': '>',
  '<=': '>=',
  '>': '<',
  '>=': '<=',
};

const OPPOSITE: Readonly<Record<string, Comparison>> = {
  '==': '!=',
  '!=': '==',
  '<': '>=',
  '<=': '>',
  '>': '<=',
  '>=': '<',
};

/** What a filter needs of the property of an item that it compares, so that the item stays. */
export function ofFilter(
  { name, parameters }: Formatter,
  values: readonly (Json | undefined)[],
): Partial<Needed> {
  if (parameters?.[1]?.kind !== 'operator') return {};
  // A filter without an operator tests for truth, and one with a value alone compares with it.
  const [, operator = 'true', other] = values.length === 2 ? [values[0], '==', values[1]] : values;
  const known = OPERATORS[String(operator)];
  if (known === undefined || other === undefined || known === 'contains') return {};
  const own = name === 'reject' ? OPPOSITE[known] : (known as Comparison);
  return own === undefined ? {} : compared(own, other);
}

/** What a comparison needs of one side, if the other one is known. */
export function ofSide(other: Expression, operator: Comparison, { isOptional }: Needed): Needed {
  const hint = /^[<>]/.test(operator) ? 'sum' : 'any';
  const value = literalOf(other);
  const facts = value === undefined ? {} : compared(operator, value);
  return { hint: typeof value === 'string' ? 'any' : hint, isResult: false, isOptional, ...facts };
}

/** A value that passes a test of Jinja, if that is one of numbers. */
export function ofTest({
  test,
  argument,
}: Extract<Expression, { kind: 'test' }>): Pick<Needed, 'hint' | 'sample'> {
  if (test !== 'odd' && test !== 'even' && test !== 'divisibleby') return { hint: 'boolean' };
  const divisor = argument && literalOf(argument);
  return { hint: 'number', sample: test === 'odd' ? 1 : (divisor ?? 2) };
}

function literalOf(expression: Expression): Json | undefined {
  if (expression.kind === 'literal') return expression.value;
  if (expression.kind !== 'list') return undefined;
  return expression.items.flatMap((item) => (item.kind === 'literal' ? [item.value] : []));
}
