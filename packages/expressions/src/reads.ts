import type { Hint } from './formatters/formatter.ts';
import { fieldName } from './json.ts';
import type { Expression } from './syntax-tree.ts';

/** A place in the data that an expression reads. */
export interface Read {
  /** Names of properties and indexes of arrays, from the scope on, or from an outer one that has the first name. */
  readonly steps: readonly string[];
  /** The first name is one of the innermost value; it is not searched outwards. */
  readonly isOwn: boolean;
  /** Belongs to the whole data. */
  readonly isRoot?: true;
  /** What the expression needs the value to be. */
  readonly hint: Hint;
  /** The result of the expression is the value itself, or what a formatter makes of it. */
  readonly isResult: boolean;
}

/** The places in the data that an expression reads. Loops and variables are those of the caller. */
export function reads(expression: Expression): Read[] {
  const found: Read[] = [];
  collect(expression, 'any', true, found);
  return found;
}

/** The texts in an expression that may be the name of one property, and whether names are compared as Word does. */
export function namesIn(expression: Expression): { names: string[]; isLoose: boolean } {
  const names: string[] = [];
  let isLoose = false;
  const waiting: unknown[] = [expression];
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    if (typeof next !== 'object' || next === null) continue;
    const {
      kind,
      name,
      isLoose: own,
    } = next as { kind?: unknown; name?: { key: string }; isLoose?: boolean };
    if (kind === 'name' && name !== undefined) names.push(name.key);
    isLoose ||= own === true;
    waiting.push(...Object.values(next));
  }
  return { names, isLoose };
}

export { fieldName };

/** A hyphen or slash between letters without spaces is more often part of a name than an operator. */
const COMPOUND_NAME = /^[\p{L}\p{N}\p{M}_]+(?:[-/][\p{L}\p{N}\p{M}_]+)+$/u;

function collect(expression: Expression, hint: Hint, isResult: boolean, found: Read[]): void {
  switch (expression.kind) {
    case 'path': {
      if (expression.loop !== undefined) return;
      const steps = expression.steps.map(({ key }) => key);
      const isRoot = expression.up === Number.POSITIVE_INFINITY;
      found.push({ steps, isOwn: expression.isThis, hint, isResult, ...(isRoot && { isRoot: true }) });
      return;
    }
    case 'name': {
      const { otherwise, path, name } = expression;
      if (otherwise !== undefined && otherwise.kind !== 'literal' && !COMPOUND_NAME.test(name.key)) {
        collect(otherwise, hint, isResult, found);
      } else if (path !== undefined) collect(path, hint, isResult, found);
      else found.push({ steps: [name.key], isOwn: false, hint, isResult });
      return;
    }
    case 'format':
      collect(expression.input, expression.formatter.hint ?? hint, isResult, found);
      collectAll(expression.args, found);
      return;
    case 'chain': {
      const [first] = expression.links;
      const own = first?.type === 'format' ? first.formatter.hint : undefined;
      collect(expression.input, own ?? hint, isResult, found);
      for (const link of expression.links) {
        if (link.type === 'format') collectAll(link.args, found);
        else if (link.value !== undefined) collect(link.value, 'any', false, found);
        if (link.type === 'match') collect(link.message, 'any', false, found);
      }
      return;
    }
    case 'conditional':
      collect(expression.test, 'boolean', false, found);
      collect(expression.whenTrue, hint, isResult, found);
      collect(expression.whenFalse, hint, isResult, found);
      return;
    default:
      collectOperands(expression, hint, isResult, found);
  }
}

type Operation = Exclude<
  Expression,
  { kind: 'path' } | { kind: 'name' } | { kind: 'format' } | { kind: 'chain' } | { kind: 'conditional' }
>;

function collectOperands(expression: Operation, hint: Hint, isResult: boolean, found: Read[]): void {
  switch (expression.kind) {
    case 'literal':
      return;
    case 'list':
      collectAll(expression.items, found);
      return;
    case 'member':
      collect(expression.object, 'any', false, found);
      collect(expression.key, 'any', false, found);
      return;
    case 'not':
      collect(expression.operand, 'boolean', false, found);
      return;
    case 'negative':
    case 'positive':
      collect(expression.operand, 'number', false, found);
      return;
    case 'test':
      collect(expression.operand, 'any', false, found);
      if (expression.argument !== undefined) collect(expression.argument, 'any', false, found);
      return;
    case 'and':
    case 'or':
    case 'else': {
      const isChoice = isResult && expression.kind !== 'and';
      collect(expression.left, expression.kind === 'and' ? 'boolean' : hint, isChoice, found);
      collect(expression.right, hint, isResult, found);
      return;
    }
    case 'arithmetic': {
      const isNumber = expression.operator !== '+';
      collect(expression.left, isNumber ? 'number' : 'any', false, found);
      collect(expression.right, isNumber ? 'number' : 'any', false, found);
      return;
    }
    default:
      collect(expression.left, 'any', false, found);
      collect(expression.right, 'any', false, found);
  }
}

function collectAll(expressions: readonly Expression[], found: Read[]): void {
  for (const expression of expressions) collect(expression, 'any', false, found);
}
