import type { Formatter, Hint } from './formatters/formatter.ts';
import { fieldName, type Json } from './json.ts';
import type { Comparison, Condition, EachExpression, Expression, Link } from './syntax-tree.ts';

/** A place in the data that an expression reads. */
export interface Read extends Wanted {
  /** Names of properties and indexes of arrays, from the scope on, or from an outer one that has the first name. */
  readonly steps: readonly string[];
  /** The first name is one of the innermost value; it is not searched outwards. */
  readonly isOwn: boolean;
  /** How many scopes the path skips first. */
  readonly up: number;
  /** The variable that the first name may be, without its sign. */
  readonly variable?: string;
  /** In a loop, it is a number that an item has beside its data. */
  readonly isOfLoop?: true;
}

/** What an expression makes of a value. */
interface Wanted {
  /** What the expression needs the value to be. */
  readonly hint: Hint;
  /** The result of the expression is the value itself, or what a formatter makes of it. */
  readonly isResult: boolean;
  /** The expression has a result without the value, or may have one. */
  readonly isOptional: boolean;
  /** A value with which a comparison is true, or that a pattern can read. */
  readonly sample?: Json;
  /** What names the property that is read, if it is computed. */
  readonly keys?: readonly Read[];
  /** What a formatter needs of each item of a list. */
  readonly items?: readonly { readonly steps: readonly string[]; readonly hint: Hint }[];
}

const RESULT: Wanted = { hint: 'any', isResult: true, isOptional: false };

/** The places in the data that an expression reads. Loops and variables are those of the caller. */
export function reads(expression: Expression): Read[] {
  const found: Read[] = [];
  collect(expression, RESULT, found);
  return found;
}

/**
 * The texts in an expression that may be the name of one property, those that are calls which the language does not have,
 * and whether names are compared as Word does.
 */
export function namesIn(expression: Expression): { names: string[]; calls: string[]; isLoose: boolean } {
  const names: string[] = [];
  const calls: string[] = [];
  let isLoose = false;
  const waiting: unknown[] = [expression];
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    if (typeof next !== 'object' || next === null) continue;
    const {
      kind,
      name,
      isLoose: own,
      isCall,
    } = next as { kind?: unknown; name?: { key: string }; isLoose?: boolean; isCall?: boolean };
    if (kind === 'name' && name !== undefined) (isCall === true ? calls : names).push(name.key);
    isLoose ||= own === true;
    waiting.push(...Object.values(next));
  }
  return { names: [...names, ...calls], calls, isLoose };
}

export { fieldName };

/** A hyphen or slash between letters without spaces is more often part of a name than an operator. */
const COMPOUND_NAME = /^[\p{L}\p{N}\p{M}_]+(?:[-/][\p{L}\p{N}\p{M}_]+)+$/u;

function collect(expression: Expression, wanted: Wanted, found: Read[]): void {
  switch (expression.kind) {
    case 'path': {
      const { variable, up, isThis: isOwn, loop } = expression;
      const steps = expression.steps.map(({ key }) => key);
      const facts = { ...(variable !== undefined && { variable }), ...(loop && { isOfLoop: true as const }) };
      found.push({ steps, isOwn, up, ...facts, ...wanted });
      return;
    }
    case 'name': {
      const { otherwise, path, name } = expression;
      if (otherwise !== undefined && otherwise.kind !== 'literal' && !COMPOUND_NAME.test(name.key)) {
        collect(otherwise, wanted, found);
      } else if (path !== undefined) collect(path, wanted, found);
      else found.push({ steps: [name.key], isOwn: false, up: 0, ...wanted });
      return;
    }
    case 'format':
      collect(expression.input, ofInput(expression, wanted), found);
      collectAll(expression.args, found);
      return;
    case 'each':
      collectEach(expression, wanted, found);
      return;
    case 'chain':
      collectChain(expression, wanted, found);
      return;
    case 'conditional':
      collect(expression.test, tested(wanted), found);
      collect(expression.whenTrue, { ...wanted, isOptional: true }, found);
      collect(expression.whenFalse, { ...wanted, isOptional: true }, found);
      return;
    default:
      collectOperands(expression, wanted, found);
  }
}

/** The list, with what the body reads of an item. */
function collectEach({ list, variable, body }: EachExpression, wanted: Wanted, found: Read[]): void {
  const inner = reads(body);
  const isOfItem = ({ steps, isOfLoop }: Read) =>
    isOfLoop !== true && (variable === undefined || steps[0] === variable);
  const items = inner
    .filter(isOfItem)
    .map(({ steps, hint }) => ({ steps: variable === undefined ? steps : steps.slice(1), hint }));
  collect(list, { ...wanted, hint: 'array', items }, found);
  if (variable !== undefined) found.push(...inner.filter((read) => !isOfItem(read)));
}

/** What a formatter needs of its input. */
function ofInput(
  { formatter, args }: { formatter: Formatter; args: readonly Expression[] },
  { hint, isResult, isOptional }: Wanted,
): Wanted {
  const values = args.map((argument) => (argument.kind === 'literal' ? argument.value : undefined));
  const path = values[formatter.parameters?.findIndex(({ kind }) => kind === 'path') ?? -1];
  const steps = typeof path === 'string' ? path.replace(/^[-+]/, '').split('.').filter(Boolean) : [];
  const sample = formatter.sample?.(values);
  return {
    hint: formatter.hint ?? hint,
    isResult,
    isOptional: isOptional || formatter.takesMissing === true,
    ...(formatter.hint === 'array' &&
      (steps.length > 0 || formatter.items !== undefined) && {
        items: [{ steps, hint: formatter.items ?? 'any' }],
      }),
    ...(sample !== undefined && { sample }),
  };
}

/** What decides is not needed: without it, it is false. */
function tested({ isOptional }: Wanted, sample?: Json): Wanted {
  return { hint: 'boolean', isResult: false, isOptional, ...(sample !== undefined && { sample }) };
}

function collectChain(
  { input, links }: Extract<Expression, { kind: 'chain' }>,
  wanted: Wanted,
  found: Read[],
): void {
  const [first] = links;
  const isDecided = links.some(({ type }) => type !== 'format');
  const conditional = { ...wanted, isOptional: wanted.isOptional || isDecided };
  const own = first?.type === 'format' ? ofInput(first, conditional) : conditional;
  const condition = links.find((link) => link.type === 'if' || link.type === 'match');
  collect(input, { ...own, ...(condition && ofCondition(condition)) }, found);
  for (const link of links) {
    if (link.type === 'format') collectAll(link.args, found);
    else if (link.value !== undefined)
      collect(link.value, { ...RESULT, isResult: false, isOptional: true }, found);
    if (link.type === 'match') collect(link.message, { ...RESULT, isResult: false, isOptional: true }, found);
  }
}

const COMPARISONS: Readonly<Partial<Record<Condition, Comparison>>> = {
  ifEQ: '==',
  ifNE: '!=',
  ifGT: '>',
  ifGTE: '>=',
  ifLT: '<',
  ifLTE: '<=',
};

function ofCondition({ condition, value }: Extract<Link, { type: 'if' | 'match' }>): Partial<Wanted> {
  const comparison = COMPARISONS[condition];
  if (comparison === undefined || value?.kind !== 'literal') return {};
  return compared(comparison, value.value);
}

/** A value that relates so to another, and what it has to be. */
function compared(operator: Comparison, other: Json): Partial<Wanted> {
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

const MIRRORED: Readonly<Partial<Record<Comparison, Comparison>>> = {
  '<': '>',
  '<=': '>=',
  '>': '<',
  '>=': '<=',
};

/** What a comparison needs of one side, if the other one is known. */
function ofSide(other: Expression, operator: Comparison, { isOptional }: Wanted): Wanted {
  const hint = /^[<>]/.test(operator) ? 'sum' : 'any';
  const value = literalOf(other);
  const facts = value === undefined ? {} : compared(operator, value);
  return { hint, isResult: false, isOptional, ...facts };
}

function literalOf(expression: Expression): Json | undefined {
  if (expression.kind === 'literal') return expression.value;
  if (expression.kind !== 'list') return undefined;
  return expression.items.flatMap((item) => (item.kind === 'literal' ? [item.value] : []));
}

type Operation = Exclude<Expression, { kind: 'path' | 'name' | 'format' | 'each' | 'chain' | 'conditional' }>;

function collectOperands(expression: Operation, wanted: Wanted, found: Read[]): void {
  const { isOptional, isResult } = wanted;
  const operand = (hint: Hint): Wanted => ({ hint, isResult: false, isOptional });
  switch (expression.kind) {
    case 'literal':
      return;
    case 'list':
      collectAll(expression.items, found);
      return;
    case 'member': {
      const keys: Read[] = [];
      collect(expression.key, operand('any'), keys);
      collect(expression.object, { ...wanted, isResult: false, keys }, found);
      found.push(...keys);
      return;
    }
    case 'not':
      collect(expression.operand, tested(wanted, false), found);
      return;
    case 'negative':
    case 'positive':
      collect(expression.operand, operand('number'), found);
      return;
    case 'test':
      collect(expression.operand, { ...operand('boolean'), isOptional: true }, found);
      if (expression.argument !== undefined) collect(expression.argument, operand('any'), found);
      return;
    case 'and':
    case 'or':
    case 'else': {
      const isChoice = isResult && expression.kind !== 'and';
      const left = expression.kind === 'and' ? 'boolean' : wanted.hint;
      collect(expression.left, { hint: left, isResult: isChoice, isOptional: true }, found);
      collect(expression.right, { ...wanted, isOptional: true }, found);
      return;
    }
    case 'arithmetic': {
      const isJoined = expression.operator === '+' && expression.isOfText;
      const hint = expression.operator === '+' ? 'sum' : 'number';
      const side = isJoined ? { ...operand('any'), isOptional: true } : operand(hint);
      collect(expression.left, side, found);
      collect(expression.right, side, found);
      return;
    }
    case 'comparison': {
      const { left, right, operator } = expression;
      collect(left, ofSide(right, operator, { ...wanted, isOptional: true }), found);
      const mirrored = MIRRORED[operator] ?? operator;
      const isKnown = mirrored !== 'in' && mirrored !== 'not in';
      collect(
        right,
        isKnown ? ofSide(left, mirrored, { ...wanted, isOptional: true }) : operand('any'),
        found,
      );
      return;
    }
    default:
      collectAll([expression.left, expression.right], found);
  }
}

function collectAll(expressions: readonly Expression[], found: Read[]): void {
  for (const expression of expressions)
    collect(expression, { hint: 'any', isResult: false, isOptional: true }, found);
}
