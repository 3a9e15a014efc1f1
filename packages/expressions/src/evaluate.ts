import { Decimal } from 'decimal.js';
import { BoundError, DataError } from './data-error.ts';
import type { BinaryOperator, Expression, LoopFact } from './expression.ts';
import { FORMATTERS } from './formatters.ts';
import type { Json } from './json.ts';
import { Locale, type LocaleOptions } from './locale.ts';
import { numberText } from './number-text.ts';

export { BoundError, DataError };

/** A value with its place in the request: `data.items[3]`. A missing value is undefined. */
export interface Bound {
  value: Json | undefined;
  path: string;
}

/** The values that an expression can name. Names are searched outwards. */
export interface Scope extends Bound {
  outer?: Scope;
  variables?: ReadonlyMap<string, Bound>;
  loop?: { index: number; length: number; key?: string };
}

/** Evaluations of one document. */
const EVALUATIONS_MAX = 1_000_000;
/** Decimal digits of a division. */
const DIGITS = 34;

const Exact = Decimal.clone({ precision: DIGITS, toExpNeg: -1e6, toExpPos: 1e6 });

/** Evaluates expressions with the conventions of one language. It reads own properties of JSON only. */
export class Evaluator {
  readonly #locale: Locale;
  #evaluations = 0;

  /** `locale`: BCP 47; `timeZone`: IANA; `currency`: ISO 4217. */
  constructor(options: LocaleOptions) {
    this.#locale = new Locale(options);
  }

  /**
   * The value of an expression. Throws DataError if a value of the data does not suit the expression, or BoundError
   * after a million evaluations.
   */
  evaluate(expression: Expression, scope: Scope): Bound {
    if (++this.#evaluations > EVALUATIONS_MAX)
      throw new BoundError(
        `The document needs more than ${EVALUATIONS_MAX.toLocaleString('en-US')} evaluations.`,
      );
    switch (expression.kind) {
      case 'path':
        return this.#path(expression, scope);
      case 'named':
        return this.#named(expression.name, expression.otherwise, scope);
      case 'literal':
        return { value: expression.value, path: scope.path };
      case 'loop':
        return { value: loopFact(expression.fact, scope), path: scope.path };
      case 'format':
        return this.#format(expression, scope);
      case 'conditional': {
        const isMet = this.isTruthy(this.evaluate(expression.condition, scope).value);
        return this.evaluate(isMet ? expression.then : expression.otherwise, scope);
      }
      case 'binary':
        return this.#binary(expression, scope);
      default:
        return this.#unary(expression, scope);
    }
  }

  /** False for false, null, a missing value, an empty text, 0 and an empty list. */
  isTruthy(value: Json | undefined): boolean {
    return Array.isArray(value) ? value.length > 0 : Boolean(value);
  }

  /** A text, number or boolean as text, with at most 15 significant digits. Null and a missing value are empty. */
  text(value: Json | undefined): string {
    if (typeof value === 'string') return value;
    if (typeof value === 'number') return numberText(value);
    if (value === null || value === undefined) return '';
    return typeof value === 'boolean' ? String(value) : JSON.stringify(value);
  }

  #path({ steps, isOwn, isRoot }: Extract<Expression, { kind: 'path' }>, scope: Scope): Bound {
    const [first, ...others] = steps;
    if (first === undefined) return scope;
    const name = typeof first === 'string' ? first : this.text(this.evaluate(first, scope).value);
    let found = isOwn ? own(scope, name) : search(name, isRoot ? outermost(scope) : scope);
    for (const step of others) {
      const key = typeof step === 'string' ? step : this.text(this.evaluate(step, scope).value);
      found = own(found, key);
    }
    return found;
  }

  #named(name: string, otherwise: Expression | undefined, scope: Scope): Bound {
    const found = search(name, scope);
    return found.value !== undefined || otherwise === undefined ? found : this.evaluate(otherwise, scope);
  }

  #format(expression: Extract<Expression, { kind: 'format' }>, scope: Scope): Bound {
    const formatter = FORMATTERS.get(expression.name);
    if (formatter === undefined) throw new Error(`unknown formatter ${expression.name}`);
    const { value, path } = this.evaluate(expression.input, scope);
    const own = expression.arguments.map((argument) => this.evaluate(argument, scope).value);
    const context = {
      locale: this.#locale,
      fail: (issue: string): never => {
        throw new DataError(path, issue);
      },
      text: (inner: Json | undefined) => this.text(inner),
      decimal: (inner: Json | undefined) => decimalOf(inner, path),
      areEqual,
    };
    return { value: formatter(value, own, context), path };
  }

  #unary(expression: Extract<Expression, { operand: Expression }>, scope: Scope): Bound {
    const { value, path } = this.evaluate(expression.operand, scope);
    switch (expression.kind) {
      case 'not':
        return { value: !this.isTruthy(value), path };
      case 'defined':
        return { value: value !== undefined && value !== null, path };
      case 'negative':
        if (value === undefined || value === null) return { value: undefined, path };
        return { value: decimalOf(value, path).negated().toNumber(), path };
    }
  }

  #binary({ operator, left, right }: Extract<Expression, { kind: 'binary' }>, scope: Scope): Bound {
    const first = this.evaluate(left, scope);
    if (operator === 'and' && !this.isTruthy(first.value)) return first;
    if (operator === 'or' && this.isTruthy(first.value)) return first;
    const second = this.evaluate(right, scope);
    if (operator === 'and' || operator === 'or') return second;
    const missing = [first, second].find(({ value }) => value === undefined || value === null);
    if (missing !== undefined && isArithmetic(operator, first, second))
      return { ...missing, value: undefined };
    const path = left.kind === 'literal' ? second.path : first.path;
    return { value: this.#operate(operator, first, second), path };
  }

  #operate(operator: BinaryOperator, left: Bound, right: Bound): Json {
    switch (operator) {
      case '==':
        return areEqual(left.value, right.value);
      case '!=':
        return !areEqual(left.value, right.value);
      case '~':
        return this.text(left.value) + this.text(right.value);
      case 'in':
        return isIn(left.value, right);
      case '<':
      case '<=':
      case '>':
      case '>=':
        return compares(operator, left, right);
      case '+':
        if (typeof left.value === 'string' && !isNumeric(left.value))
          return left.value + this.text(right.value);
        if (typeof right.value === 'string' && !isNumeric(right.value))
          return this.text(left.value) + right.value;
    }
    return arithmetic(
      operator,
      decimalOf(left.value, left.path),
      decimalOf(right.value, right.path),
      right.path,
    );
  }
}

/** Whether an operator calculates. A sum of texts is a text. */
function isArithmetic(operator: BinaryOperator, left: Bound, right: Bound): boolean {
  if (!['+', '-', '*', '/', '%'].includes(operator)) return false;
  const isText = ({ value }: Bound) => typeof value === 'string' && !isNumeric(value);
  return operator !== '+' || !(isText(left) || isText(right));
}

function own({ value, path }: Bound, key: string): Bound {
  if (Array.isArray(value)) {
    if (key === 'length') return { value: value.length, path: `${path}.length` };
    const index = /^\d{1,9}$/.test(key)
      ? Number(key)
      : /^-\d{1,9}$/.test(key)
        ? value.length + Number(key)
        : -1;
    return { value: value[index], path: `${path}[${key}]` };
  }
  const isThere = typeof value === 'object' && value !== null && Object.hasOwn(value, key);
  return { value: isThere ? (value as Record<string, Json>)[key] : undefined, path: `${path}.${key}` };
}

/** The nearest value with this name. If there is none, the path in the outermost value. */
function search(name: string, scope: Scope): Bound {
  let at: Scope | undefined = scope;
  for (;;) {
    const known = at.variables?.get(name);
    if (known !== undefined) return known;
    const { value } = at;
    if (typeof value === 'object' && value !== null && Object.hasOwn(value, name)) return own(at, name);
    if (at.outer === undefined) return { value: undefined, path: `${scope.path}.${name}` };
    at = at.outer;
  }
}

function outermost(scope: Scope): Scope {
  let at = scope;
  while (at.outer !== undefined) at = at.outer;
  return at;
}

function loopFact(fact: LoopFact, scope: Scope): Json | undefined {
  let at: Scope | undefined = scope;
  while (at !== undefined && at.loop === undefined) at = at.outer;
  const loop = at?.loop;
  if (loop === undefined) return undefined;
  const { index, length, key } = loop;
  const facts: Record<LoopFact, Json | undefined> = {
    index,
    number: index + 1,
    revnumber: length - index,
    first: index === 0,
    last: index === length - 1,
    hasNext: index < length - 1,
    length,
    key,
  };
  return facts[fact];
}

function isNumeric(text: string): boolean {
  return /^\s*[+-]?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d{1,3})?\s*$/i.test(text) && text.length <= 400;
}

/** A number, or a text that is one, as an exact decimal. Throws DataError. */
function decimalOf(value: Json | undefined, path: string): Decimal {
  if (typeof value === 'number') return new Exact(value);
  if (typeof value === 'string' && isNumeric(value)) return new Exact(value.trim());
  if (typeof value === 'boolean') return new Exact(value ? 1 : 0);
  throw new DataError(path, 'must be a number');
}

function arithmetic(operator: BinaryOperator, left: Decimal, right: Decimal, path: string): number {
  if ((operator === '/' || operator === '%') && right.isZero())
    throw new DataError(path, 'is 0, but is a divisor');
  const result =
    operator === '+'
      ? left.plus(right)
      : operator === '-'
        ? left.minus(right)
        : operator === '*'
          ? left.times(right)
          : operator === '/'
            ? left.dividedBy(right)
            : left.modulo(right);
  const number = result.toNumber();
  if (!Number.isFinite(number)) throw new DataError(path, 'leads to a number that is too large');
  return number;
}

function areEqual(left: Json | undefined, right: Json | undefined): boolean {
  if ((left ?? null) === (right ?? null)) return true;
  const isMixed = typeof left !== typeof right;
  if (isMixed && typeof left !== 'boolean' && typeof right !== 'boolean') {
    const [a, b] = [left, right].map((value) => (typeof value === 'number' ? String(value) : value));
    return (
      typeof a === 'string' && typeof b === 'string' && isNumeric(a) && isNumeric(b) && new Exact(a).equals(b)
    );
  }
  return false;
}

/** Numbers by value, texts by code units. A missing value is not less or greater than any. */
function compares(operator: '<' | '<=' | '>' | '>=', left: Bound, right: Bound): boolean {
  if (left.value === undefined || left.value === null || right.value === undefined || right.value === null)
    return false;
  const areTexts =
    typeof left.value === 'string' &&
    typeof right.value === 'string' &&
    !(isNumeric(left.value) && isNumeric(right.value));
  const order = areTexts
    ? Number((left.value as string) > (right.value as string)) -
      Number((left.value as string) < (right.value as string))
    : decimalOf(left.value, left.path).comparedTo(decimalOf(right.value, right.path));
  if (operator === '<') return order < 0;
  if (operator === '<=') return order <= 0;
  return operator === '>' ? order > 0 : order >= 0;
}

function isIn(item: Json | undefined, { value, path }: Bound): boolean {
  if (value === undefined || value === null) return false;
  if (Array.isArray(value)) return value.some((other) => areEqual(item, other));
  if (typeof value === 'string') return typeof item === 'string' && value.includes(item);
  if (typeof value === 'object') return typeof item === 'string' && Object.hasOwn(value, item);
  throw new DataError(path, 'must be a list, an object or a text');
}
