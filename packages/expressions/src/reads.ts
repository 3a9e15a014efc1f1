import type { Formatter, Hint } from './formatters/formatter.ts';
import { fieldName, type Json } from './json.ts';
import { type ItemFacts, MIRRORED, type Needed, ofCondition, ofFilter, ofSide, ofTest } from './samples.ts';
import type { EachExpression, Expression, FormatterCall } from './syntax-tree.ts';

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
interface Wanted extends Needed {
  /** What names the property that is read, if it is computed. */
  readonly keys?: readonly Read[];
}

const RESULT: Wanted = { hint: 'any', isResult: true, isOptional: false };

/**
 * The places in the data that an expression reads. Loops and variables are those of the caller.
 *
 * @example
 * import { parseExpression } from '@scriptorium/expressions/expression';
 * reads(parseExpression('due | date:"yyyy"'))[0].hint // 'date'
 */
export function reads(expression: Expression): Read[] {
  const found: Read[] = [];
  collect(expression, RESULT, found);
  return found;
}

/**
 * The texts in an expression that may be the name of one property. Also the calls which the language does not have, and whether
 * names are compared as Word does.
 *
 * @example
 * import { parseExpression } from '@scriptorium/expressions/expression';
 * namesIn(parseExpression('first name')).names // ['first name']
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
      collectArguments(expression, found, printsNumbers(expression) ? 'number' : 'any');
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
function collectEach(
  { what, list, variable, body }: EachExpression,
  wanted: Wanted,
  found: Read[],
  property: readonly string[] = [],
): void {
  const inner = reads(body);
  const isOfItem = ({ steps, isOfLoop }: Read) =>
    isOfLoop !== true && (variable === undefined || steps[0] === variable);
  const ofResults = what === 'map' ? wanted.items?.find((item) => item.steps.length === 0)?.hint : undefined;
  const items = inner.filter(isOfItem).map(({ steps, hint, sample, isResult }): ItemFacts => {
    const own = variable === undefined ? steps : steps.slice(1);
    return {
      steps: own,
      hint: (isResult ? ofResults : undefined) ?? hint,
      ...(sample !== undefined && { sample }),
    };
  });
  if (property.length > 0) items.push({ steps: property, hint: wanted.hint });
  collect(list, { ...wanted, hint: 'array', items }, found);
  if (variable !== undefined) found.push(...inner.filter((read) => !isOfItem(read)));
}

/** The item of a list whose property is named: `people[age=18].name` of Carbone. */
function propertyOfItem(expression: Expression): { item: EachExpression | undefined; steps: string[] } {
  if (expression.kind === 'each') return { item: expression, steps: [] };
  if (expression.kind !== 'member' || expression.key.kind !== 'literal')
    return { item: undefined, steps: [] };
  const { item, steps } = propertyOfItem(expression.object);
  return { item, steps: [...steps, String(expression.key.value)] };
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
    hint: formatter.hint ?? (formatter.makesOther ? 'any' : hint),
    isResult: isResult && formatter.makesOther !== true,
    isOptional: isOptional || formatter.takesMissing === true,
    ...(formatter.hint === 'array' &&
      (steps.length > 0 || formatter.items !== undefined) && {
        items: [{ steps, hint: formatter.items ?? 'any', ...ofFilter(formatter, values) }],
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
    if (link.type === 'format') collectArguments(link, found);
    else if (link.value !== undefined)
      collect(link.value, { ...RESULT, isResult: false, isOptional: true }, found);
    if (link.type === 'match') collect(link.message, { ...RESULT, isResult: false, isOptional: true }, found);
  }
}

type Operation = Exclude<Expression, { kind: 'path' | 'name' | 'format' | 'each' | 'chain' | 'conditional' }>;

function collectOperands(expression: Operation, wanted: Wanted, found: Read[]): void {
  const { isOptional, isResult } = wanted;
  const operand = (hint: Hint): Wanted => ({ hint, isResult: false, isOptional });
  switch (expression.kind) {
    case 'literal':
      return;
    case 'list':
    case 'record':
      collectAll(partsOf(expression), found);
      return;
    case 'member': {
      collectMember(expression, wanted, found);
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
      collect(expression.operand, { ...ofTest(expression), isResult: false, isOptional: true }, found);
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

function collectMember(
  expression: Extract<Expression, { kind: 'member' }>,
  wanted: Wanted,
  found: Read[],
): void {
  const { item, steps } = propertyOfItem(expression);
  if (item !== undefined) {
    collectEach(item, wanted, found, steps);
    return;
  }
  const keys: Read[] = [];
  collect(expression.key, { hint: 'any', isResult: false, isOptional: wanted.isOptional }, keys);
  collect(expression.object, { ...wanted, isResult: false, keys }, found);
  found.push(...keys);
}

function partsOf(expression: Extract<Operation, { kind: 'list' | 'record' }>): readonly Expression[] {
  return expression.kind === 'list' ? expression.items : expression.entries.map(([, value]) => value);
}

/** Whether a text of Python has places for numbers only: `{:,.2f}`, `%d`. */
function printsNumbers({ formatter, input }: Extract<Expression, { kind: 'format' }>): boolean {
  const text = formatter.name === 'format' && input.kind === 'literal' ? String(input.value) : '';
  return /\{\d*:[^{}]*[df%]\}|%[-+ 0\d.]*[dif]/.test(text) && !/\{\d*\}|%s/.test(text);
}

function collectAll(expressions: readonly Expression[], found: Read[], hint: Hint = 'any'): void {
  for (const expression of expressions)
    collect(expression, { hint, isResult: false, isOptional: true }, found);
}

function collectArguments({ formatter, args }: FormatterCall, found: Read[], hint: Hint = 'any'): void {
  for (const [index, argument] of args.entries())
    collectAll([argument], found, formatter.parameters?.[index]?.kind === 'number' ? 'number' : hint);
}
