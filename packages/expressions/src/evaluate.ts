import { evaluateChain } from './chain.ts';
import { areEqual, areTexts, compare, compute, describe, numberOf, plainNumber } from './decimals.ts';
import { BoundError, DataError } from './errors.ts';
import { bounded, type FormatSettings } from './formatters/formatter.ts';
import { isArray, isTruthy, type Json, stepInto, stepOf } from './json.ts';
import { assign, type Bound, type Evaluation, findName, findPath, type Scope } from './scope.ts';
import type { EachExpression, Expression, FormatterCall } from './syntax-tree.ts';
import { isTested } from './tests.ts';

export type { Bound, Evaluation, Scope };
export { assign, BoundError, DataError };

export interface EvaluatorOptions {
  /** BCP 47. */
  locale: string;
  /** IANA. */
  timeZone: string;
  /** ISO 4217: the currency of amounts whose mark names none. */
  currency?: string;
}

type NodeOf<Kind extends Expression['kind']> = Extract<Expression, { kind: Kind }>;

const EVALUATIONS_MAX = 1_000_000;
/** An evaluation costs as much as this many items that a formatter reads. */
const UNITS_OF_EVALUATION = 10;

/** Evaluates the expressions of one document, with a budget for all of them. */
export class Evaluator implements FormatSettings {
  readonly locale: string;
  readonly timeZone: string;
  readonly currency: string | undefined;
  /** The calls of the last expression that the data has no result for, and for which it names no other value. */
  readonly missingCalls: string[] = [];
  #units = EVALUATIONS_MAX * UNITS_OF_EVALUATION;

  /** Throws a RangeError for a locale or time zone that Intl does not know. */
  constructor({ locale, timeZone, currency }: EvaluatorOptions) {
    const [canonical = locale] = Intl.getCanonicalLocales(locale);
    this.locale = canonical;
    this.timeZone = timeZone;
    this.currency = currency;
  }

  /**
   * The value of an expression, and its place in the data; of a computed value, the place of its first operand. Throws
   * a DataError for a value that the expression cannot use, and a BoundError past 1,000,000 evaluations.
   */
  evaluate(expression: Expression, scope: Scope): Evaluation {
    this.spend(UNITS_OF_EVALUATION);
    this.missingCalls.length = 0;
    return this.#value(expression, scope);
  }

  /** False, null, missing, 0, "" and [] are false, as in docxtemplater; everything else is true, {} too. */
  isTruthy(value: Json | undefined): boolean {
    return isTruthy(value);
  }

  /**
   * The text of a value in a document. Null gives nothing, and false `false`. Numbers have at most 15 significant digits, and the
   * items of an array have commas between them. Throws a DataError at `path` for an object.
   */
  text(value: Json | undefined, path = 'data'): string {
    if (typeof value === 'string') return value;
    if (typeof value === 'number') return plainNumber(value);
    if (value === null || value === undefined) return '';
    if (typeof value === 'boolean') return value ? 'true' : 'false';
    if (!isArray(value)) throw new DataError(path, 'an object has no text; name one of its properties');
    this.spend(value.length);
    let text = '';
    for (const [index, item] of value.entries()) {
      const place = `${path}[${index}]`;
      if (isArray(item)) throw new DataError(place, 'an array in an array has no text');
      text = bounded(`${text}${index === 0 ? '' : ', '}${this.text(item, place)}`, path);
    }
    return text;
  }

  spend(units: number): void {
    this.#units -= units;
    if (this.#units < 0) throw new BoundError(`${EVALUATIONS_MAX.toLocaleString('en-US')} evaluations`);
  }

  #value(expression: Expression, scope: Scope): Evaluation {
    switch (expression.kind) {
      case 'path':
        return findPath(expression, scope);
      case 'name':
        return this.#nameValue(expression, scope);
      case 'literal':
        return { value: expression.value, path: scope.path };
      case 'format':
        return this.#formatted(expression, this.#input(expression, scope), scope);
      case 'each':
        return this.#each(expression, scope);
      case 'arithmetic':
        return this.#arithmetic(expression, scope);
      case 'comparison':
        return this.#compared(expression, scope);
      case 'and':
      case 'or':
      case 'else': {
        const before = this.missingCalls.length;
        const left = this.#value(expression.left, scope);
        if (expression.kind !== 'and') this.missingCalls.length = before;
        const isMet = isTruthy(left.value) === (expression.kind === 'or');
        const isLeft = expression.kind === 'else' ? left.value != null : isMet;
        return isLeft ? left : this.#value(expression.right, scope);
      }
      case 'conditional': {
        const isThen = isTruthy(this.#value(expression.test, scope).value);
        return this.#value(isThen ? expression.whenTrue : expression.whenFalse, scope);
      }
      case 'chain':
        return evaluateChain(expression.links, this.#value(expression.input, scope), {
          valueOf: (other) => this.#value(other, scope),
          formatted: (call, input) => this.#formatted(call, input, scope),
          spend: (units) => this.spend(units),
        });
      default:
        return this.#operated(expression, scope);
    }
  }

  #operated(
    expression: NodeOf<
      'member' | 'list' | 'record' | 'not' | 'negative' | 'positive' | 'concatenation' | 'test'
    >,
    scope: Scope,
  ): Evaluation {
    switch (expression.kind) {
      case 'member':
        return this.#member(expression, scope);
      case 'list':
        return {
          value: expression.items.map((item) => this.#value(item, scope).value ?? null),
          path: scope.path,
        };
      case 'record': {
        const { entries } = expression;
        const own = entries.map(([name, value]) => [name, this.#value(value, scope).value ?? null]);
        return { value: Object.fromEntries(own), path: scope.path };
      }
      case 'concatenation': {
        const left = this.#value(expression.left, scope);
        return this.#joined(left, this.#value(expression.right, scope));
      }
      case 'test': {
        const before = this.missingCalls.length;
        const found = this.#tested(expression, scope);
        this.missingCalls.length = before;
        return found;
      }
      case 'not': {
        const { value, path } = this.#value(expression.operand, scope);
        return { value: !isTruthy(value), path };
      }
      default: {
        const operand = this.#value(expression.operand, scope);
        if (operand.value === null || operand.value === undefined) return operand;
        const number = numberOf(operand.value, operand.path);
        return {
          value: expression.kind === 'negative' && number !== 0 ? -number : number,
          path: operand.path,
        };
      }
    }
  }

  #nameValue(expression: NodeOf<'name'>, scope: Scope): Evaluation {
    const { path, otherwise, name } = expression;
    const own = findName(expression, scope);
    if (own !== undefined && own.value !== null) return own;
    const found = path === undefined ? undefined : findPath(path, scope);
    if (found !== undefined && found.value !== undefined && found.value !== null) return found;
    if (own !== undefined) return own;
    if (otherwise !== undefined) return this.#value(otherwise, scope);
    const missing = found ?? { value: undefined, path: scope.path + name.suffix };
    if (expression.isCall === true) this.missingCalls.push(missing.path);
    return missing;
  }

  /** The input of a formatter. One that takes a missing value says what stands for it. */
  #input({ input, formatter }: NodeOf<'format'>, scope: Scope): Evaluation {
    const before = this.missingCalls.length;
    const value = this.#value(input, scope);
    if (formatter.takesMissing === true) this.missingCalls.length = before;
    return value;
  }

  #member({ object, key }: NodeOf<'member'>, scope: Scope): Evaluation {
    const { value, path } = this.#value(object, scope);
    const { value: name } = this.#value(key, scope);
    if (typeof name !== 'string' && typeof name !== 'number') return { value: undefined, path };
    const step = stepOf(String(name));
    return { value: stepInto(value, step), path: path + step.suffix };
  }

  #formatted({ formatter, args }: FormatterCall, { value, path }: Evaluation, scope: Scope): Evaluation {
    if ((value === null || value === undefined) && formatter.takesMissing === undefined) {
      return { value: undefined, path };
    }
    // A long text costs as much as the items that could have made it.
    if (typeof value === 'string') this.spend(value.length >> 6);
    const values = args.map((argument) => this.#value(argument, scope).value);
    const result = formatter.apply({ input: value, path, args: values, settings: this });
    if (typeof result === 'string') {
      bounded(result, path);
      this.spend(result.length >> 6);
    }
    return { value: result, path };
  }

  /** A missing list stays missing. */
  #each({ what, list, variable, body }: EachExpression, scope: Scope): Evaluation {
    const { value, path } = this.#value(list, scope);
    if (value === null || value === undefined) return { value: undefined, path };
    if (!isArray(value)) throw new DataError(path, `${describe(value)} is not an array`);
    const bodyOf = (item: Json, index: number): Json | undefined => {
      this.spend(UNITS_OF_EVALUATION);
      const own = { value: item, path: `${path}[${index}]` };
      const loop = { index, length: value.length };
      const inner: Scope =
        variable === undefined
          ? { ...own, outer: scope, loop }
          : {
              value: scope.value,
              path: scope.path,
              outer: scope,
              variables: new Map([[variable, own]]),
              loop,
            };
      return this.#value(body, inner).value;
    };
    const isMet = (item: Json, index: number) => isTruthy(bodyOf(item, index));
    const mapped = () => value.map((item, index) => bodyOf(item, index) ?? null);
    return { value: what === 'map' ? mapped() : (value[what](isMet) as Json | undefined), path };
  }

  /** A missing operand makes the result missing. `+` joins texts that are not numbers. */
  #arithmetic(expression: NodeOf<'arithmetic'>, scope: Scope): Evaluation {
    const { operator, isOfText } = expression;
    const left = this.#value(expression.left, scope);
    const right = this.#value(expression.right, scope);
    if (isOfText || (operator === '+' && areTexts(left.value, right.value))) return this.#joined(left, right);
    for (const operand of [left, right]) {
      if (operand.value === null || operand.value === undefined)
        return { value: undefined, path: operand.path };
    }
    return { value: compute(operator, left, right), path: left.path };
  }

  #joined(left: Evaluation, right: Evaluation): Evaluation {
    const text = this.text(left.value, left.path) + this.text(right.value, right.path);
    this.spend(text.length >> 6);
    return { value: bounded(text, left.path), path: left.path };
  }

  #compared(expression: NodeOf<'comparison'>, scope: Scope): Evaluation {
    const { operator } = expression;
    const left = this.#value(expression.left, scope);
    const right = this.#value(expression.right, scope);
    return { value: this.#isRelated(operator, left, right), path: left.path };
  }

  #isRelated(operator: NodeOf<'comparison'>['operator'], left: Evaluation, right: Evaluation): boolean {
    const spend = (units: number) => this.spend(units);
    switch (operator) {
      case '==':
      case '!=':
        return areEqual(left.value, right.value, { spend }) === (operator === '==');
      case '===':
      case '!==':
        return areEqual(left.value, right.value, { spend, isStrict: true }) === (operator === '===');
      case 'in':
      case 'not in':
        return this.#isWithin(left.value, right) === (operator === 'in');
    }
    const order = compare(left, right);
    if (order === undefined) return false;
    if (operator === '<') return order < 0;
    if (operator === '<=') return order <= 0;
    return operator === '>' ? order > 0 : order >= 0;
  }

  /** An item of an array, a part of a text, or a key of an object. */
  #isWithin(value: Json | undefined, { value: whole, path }: Evaluation): boolean {
    if (whole === null || whole === undefined) return false;
    if (typeof whole === 'string') {
      this.spend(whole.length >> 6);
      return typeof value !== 'object' && whole.includes(this.text(value, path));
    }
    if (typeof whole !== 'object') throw new DataError(path, `${describe(whole)} has no items`);
    if (!isArray(whole)) return typeof value === 'string' && Object.hasOwn(whole, value);
    this.spend(whole.length);
    return whole.some((item) => areEqual(item, value, { spend: (units) => this.spend(units) }));
  }

  #tested({ test, operand, argument, isNegated }: NodeOf<'test'>, scope: Scope): Evaluation {
    const found = this.#value(operand, scope);
    const divisor = argument === undefined ? 2 : this.#value(argument, scope).value;
    return { value: isTested(test, found, divisor) !== isNegated, path: found.path };
  }
}
