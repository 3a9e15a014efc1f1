import { areEqual, compare, isNumeric } from './decimals.ts';
import { isArray, isEmpty, isTruthy, type Json } from './json.ts';
import type { Evaluation } from './scope.ts';
import type { Condition, Expression, FormatterCall, Link } from './syntax-tree.ts';

/** What a chain needs of the evaluator. */
interface Context {
  valueOf(expression: Expression): Evaluation;
  formatted(call: FormatterCall, input: Evaluation): Evaluation;
  spend(units: number): void;
}

/**
 * Evaluates a chain from left to right as Carbone does. Each condition joins the ones before it by the last `:and` or `:or`, by
 * `or` at first. `:show` and `:elseShow` end the chain with their text if they apply.
 */
export function evaluateChain(links: readonly Link[], input: Evaluation, context: Context): Evaluation {
  let current = input;
  let isTrue: boolean | undefined;
  let isAnd = false;
  const evaluated = (expression: Expression | undefined) =>
    expression === undefined ? undefined : context.valueOf(expression).value;
  const holds = (condition: Condition, value: Expression | undefined) =>
    isMet(condition, current.value, evaluated(value), context.spend);
  for (const link of links) {
    switch (link.type) {
      case 'format':
        current = context.formatted(link, current);
        break;
      case 'if': {
        const isHeld = holds(link.condition, link.value);
        isTrue = isAnd ? isTrue === true && isHeld : isTrue === true || isHeld;
        break;
      }
      case 'and':
      case 'or':
        isAnd = link.type === 'and';
        if (link.value !== undefined) current = context.valueOf(link.value);
        break;
      case 'show':
      case 'elseShow':
        if ((isTrue ?? isTruthy(current.value)) === (link.type === 'show')) {
          return { value: evaluated(link.value), path: current.path };
        }
        break;
      case 'match':
        if (!holds(link.condition, link.value)) break;
        current = { value: evaluated(link.message), path: current.path };
        if (!link.isContinued) return current;
    }
  }
  return current;
}

function isMet(
  condition: Condition,
  value: Json | undefined,
  other: Json | undefined,
  spend: (units: number) => void,
): boolean {
  switch (condition) {
    case 'ifEM':
    case 'ifNEM':
      return isEmpty(value) === (condition === 'ifEM');
    case 'ifEQ':
    case 'ifNE':
      return isSame(value, other, spend) === (condition === 'ifEQ');
    case 'ifIN':
    case 'ifNIN': {
      if (typeof value !== 'string' && !isArray(value)) return false;
      if (isArray(value)) spend(value.length);
      const isIn = isArray(value)
        ? value.some((item) => isSame(item, other, spend))
        : (typeof other === 'string' || typeof other === 'number') && value.includes(String(other));
      return isIn === (condition === 'ifIN');
    }
  }
  if (!isNumeric(value) || !isNumeric(other)) return false;
  const order = compare({ value, path: '' }, { value: other, path: '' }) ?? Number.NaN;
  if (condition === 'ifGT') return order > 0;
  if (condition === 'ifGTE') return order >= 0;
  return condition === 'ifLT' ? order < 0 : order <= 0;
}

/** Carbone compares as texts: true is the same as "true". */
function isSame(value: Json | undefined, other: Json | undefined, spend: (units: number) => void): boolean {
  if (typeof value === 'boolean' || typeof other === 'boolean') return String(value) === String(other);
  return areEqual(value, other, { spend });
}
