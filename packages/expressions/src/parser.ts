import {
  type ArgumentSource,
  colonArguments,
  entriesUntil,
  functionOfItems,
  itemsUntil,
  namedArguments,
  selection,
  slice,
} from './arguments.ts';
import { COMPUTED_METHODS, CONSTANTS, callOf, knownFormatter, METHODS } from './calls.ts';
import { ExpressionError } from './errors.ts';
import { formatterNamed, nearName } from './formatters/table.ts';
import { Operators, withoutMissingElse } from './operators.ts';
import { type PathOptions, pathOf, withKey } from './paths.ts';
import type { Expression } from './syntax-tree.ts';
import { type Token, tokensOf } from './tokens.ts';
import { callText, lookedUp, unknownCall, unknownFilter, unknownMethod } from './unknown-calls.ts';

const DEPTH_MAX = 32;

/** A Pratt parser of the expressions that all dialects but Carbone and Word share. */
export class Parser implements ArgumentSource {
  readonly #tokens: readonly Token[];
  readonly #text: string;
  readonly #syntax: string;
  readonly #isJinja: boolean;
  readonly #isSpel: boolean;
  readonly #paths: PathOptions;
  readonly #operators: Operators;
  #at = 0;
  #depth = 0;

  constructor(text: string, syntax: string, paths: PathOptions) {
    this.#text = text;
    this.#tokens = tokensOf(text);
    this.#syntax = syntax;
    this.#isJinja = syntax === 'jinja';
    this.#paths = paths;
    this.#isSpel = syntax === 'stamper';
    this.#operators = new Operators(this, { isJinja: this.#isJinja, isSpel: this.#isSpel });
  }

  /** The whole text; throws an ExpressionError for anything that follows. */
  parse(): Expression {
    const expression = this.#piped();
    const { type, value } = this.peek();
    if (type === 'end') return withoutMissingElse(expression);
    if (value === '=') throw new ExpressionError('assignments are not supported; use == to compare');
    throw this.unexpected();
  }

  peek(ahead = 0): Token {
    const index = Math.min(this.#at + ahead, this.#tokens.length - 1);
    return this.#tokens[index] ?? { type: 'end', value: '', start: 0, end: 0 };
  }

  next(): Token {
    const token = this.peek();
    this.#at++;
    return token;
  }

  /** Takes the next token if it is this sign or word. */
  takes(value: string): boolean {
    const token = this.peek();
    if (token.value !== value || (token.type !== 'sign' && token.type !== 'word')) return false;
    this.#at++;
    return true;
  }

  expects(value: string): void {
    if (!this.takes(value)) throw this.unexpected(value);
  }

  unexpected(wanted?: string): ExpressionError {
    const { type, start, end } = this.peek();
    const found =
      type === 'end' ? 'the expression ends too early' : `unexpected “${this.#text.slice(start, end)}”`;
    return new ExpressionError(wanted === undefined ? found : `${found}; “${wanted}” is missing`);
  }

  /** Parses one level deeper. */
  nested<Result>(parse: () => Result): Result {
    if (++this.#depth > DEPTH_MAX)
      throw new ExpressionError(`an expression is nested deeper than ${DEPTH_MAX}`);
    const result = parse();
    this.#depth--;
    return result;
  }

  inner(): Expression {
    return this.nested(() => this.#piped());
  }

  simple(): Expression {
    // Liquid has the next filter behind an argument.
    return this.nested(() => (this.#isJinja ? this.operand(false) : this.#operators.simple()));
  }

  /** An expression with the filters of Angular after it, which apply to all of it. */
  #piped(): Expression {
    const from = this.peek().start;
    let expression = this.#operators.expression();
    while (!this.#isJinja && this.takes('|')) expression = this.#filter(expression, from);
    return expression;
  }

  /** An operand with all that binds tighter than an operator. */
  operand(hasFilters: boolean): Expression {
    const from = this.peek().start;
    let expression = this.#primary();
    for (;;) {
      const { type, value } = this.peek();
      if (type === 'sign' && (value === '.' || value === '?.')) expression = this.#member(expression, from);
      else if (type === 'sign' && value === '[') expression = this.#indexed(expression);
      else break;
    }
    if (this.peek().value === '(' && this.peek().type === 'sign') {
      throw new ExpressionError('calls of functions are not supported');
    }
    return hasFilters ? this.filtered(expression, from) : expression;
  }

  /** An operand with the filters of Jinja after it. */
  filtered(operand: Expression, from: number): Expression {
    let expression = operand;
    while (this.#isJinja && this.takes('|')) expression = this.#filter(expression, from);
    return expression;
  }

  #primary(): Expression {
    const token = this.next();
    const { type, value } = token;
    if (type === 'number') return { kind: 'literal', value: Number(value) };
    if (type === 'text') return { kind: 'literal', value };
    if (type === 'template') return this.#template(value);
    if (type === 'word') return this.#word(value, token.start);
    if (value === '(') {
      if (this.#isJinja && this.takes(')')) return { kind: 'list', items: [] };
      const inner = this.inner();
      // A tuple of Python.
      if (this.#isJinja && this.takes(',')) return { kind: 'list', items: [inner, ...itemsUntil(this, ')')] };
      this.expects(')');
      return inner;
    }
    if (value === '[') return { kind: 'list', items: itemsUntil(this, ']') };
    if (value === '{' && (this.#isJinja || this.#syntax === 'command'))
      return { kind: 'record', entries: entriesUntil(this) };
    if (value === '.' || value === '..') return this.#dotted(value === '.' ? 0 : 1);
    this.#at--;
    throw this.unexpected();
  }

  /** A text of JavaScript with values: `${a} and ${b}`. */
  #template(text: string): Expression {
    const parts = text.split(/\$\{([^{}]*)\}/).map((part, index): Expression => {
      if (index % 2 === 0) return { kind: 'literal', value: part };
      return this.nested(() => new Parser(part, this.#syntax, this.#paths).parse());
    });
    return parts.reduce((left, right) => ({ kind: 'concatenation', left, right }));
  }

  #word(name: string, from: number): Expression {
    const { type, value } = this.peek();
    if (type === 'sign' && value === '(') {
      if (formatterNamed(name) !== undefined || nearName(name, 1) !== undefined) return this.#called(name);
      this.next();
      namedArguments(this, name, 0);
      return unknownCall(this.#written(from), undefined, this.#paths);
    }
    const isConstant = Object.hasOwn(CONSTANTS, name);
    return isConstant ? { kind: 'literal', value: CONSTANTS[name] ?? null } : pathOf([name], this.#paths);
  }

  /** `.` alone is the value of the scope; `.name` is its property. */
  #dotted(up: number): Expression {
    if (this.peek().type !== 'word' || this.#operators.isNext()) return pathOf(['this'], this.#paths, up);
    return pathOf(['this', this.next().value], this.#paths, up);
  }

  #member(object: Expression, from: number): Expression {
    this.next();
    if (this.peek().value === '[') return this.#indexed(object);
    const selected = this.#isSpel ? selection(this, object) : undefined;
    if (selected !== undefined) return selected;
    const { type, value, start } = this.next();
    if (type !== 'word' && type !== 'number') {
      this.#at--;
      throw this.unexpected();
    }
    if (this.peek().value !== '(' || this.peek().type !== 'sign')
      return withKey(object, { kind: 'literal', value }, this.#paths);
    const ofItems = functionOfItems(this, object, value);
    if (ofItems !== undefined) return ofItems;
    if (METHODS.has(value)) return this.#method(object, value);
    return this.#unknownMethod(object, from, start);
  }

  #indexed(object: Expression): Expression {
    this.expects('[');
    if (this.#isJinja && this.takes(':')) return slice(this, object, { kind: 'literal', value: 0 });
    const key = this.inner();
    if (this.#isJinja && this.takes(':')) return slice(this, object, key);
    this.expects(']');
    if (key.kind === 'negative' && key.operand.kind === 'literal' && this.#isJinja) {
      return withKey(object, { kind: 'literal', value: `-${key.operand.value}` }, this.#paths);
    }
    return withKey(object, key, this.#paths);
  }

  #method(object: Expression, name: string): Expression {
    this.expects('(');
    const args = itemsUntil(this, ')');
    const formatter = knownFormatter(name);
    const [first] = args;
    // Python's ', '.join(items) has the separator first.
    if (name === 'join' && object.kind === 'literal' && first !== undefined) {
      return { kind: 'format', input: first, ...callOf(formatter, [object]) };
    }
    return { kind: 'format', input: object, ...callOf(formatter, args) };
  }

  /** The text of an expression from an offset up to here. */
  #written(from: number): string {
    return callText(this.#text.slice(from, this.peek(-1).end));
  }

  /** A method: the data may have its result, as a property of the object. Without it, some are computed. */
  #unknownMethod(object: Expression, from: number, start: number): Expression {
    const name = this.peek(-1).value;
    this.expects('(');
    const { positional } = namedArguments(this, '', 0);
    const written = { call: this.#written(start), whole: this.#written(from) };
    const isText = object.kind === 'literal' && typeof object.value === 'string';
    const computed = name === 'format' && !isText ? 'format_date' : name;
    // That of JavaScript replaces once.
    const isOther = name === 'replace' && (this.#syntax === 'command' || this.#syntax === 'curly');
    const otherwise: Expression | undefined =
      COMPUTED_METHODS.has(name) && !isOther
        ? { kind: 'format', input: object, ...callOf(knownFormatter(computed), positional) }
        : lookedUp(object, name, positional, this.#isJinja, this.#paths);
    return unknownMethod(object, written, this.#paths, otherwise);
  }

  /** `upper(name)`: the first argument is the input. */
  #called(name: string): Expression {
    this.expects('(');
    const { positional, named } = namedArguments(this, name, 1);
    const [input, ...args] = positional;
    if (input === undefined) throw new ExpressionError(`“${name}” needs a value in its parentheses`);
    return { kind: 'format', input, ...callOf(knownFormatter(name), args, named) };
  }

  /** A filter after its bar: `f`, `f(x, y)`, or Angular's `f:x:y`. */
  #filter(input: Expression, from: number): Expression {
    const { type, value: name, start } = this.next();
    if (type !== 'word') {
      this.#at--;
      throw this.unexpected('the name of a formatter');
    }
    if (formatterNamed(name) === undefined && nearName(name) === undefined)
      return this.#unknownFilter(input, from, start);
    const formatter = knownFormatter(name);
    if (this.takes('(')) {
      const { positional, named } = namedArguments(this, name, 0);
      if (this.#isJinja && name === 'map' && positional.length > 0) {
        throw new ExpressionError('“map” takes attribute=… only');
      }
      return { kind: 'format', input, ...callOf(formatter, positional, named) };
    }
    const args = colonArguments(this, name, this.#isJinja ? ',' : ':');
    const [condition] = args;
    // Angular's filter of docxtemplater's guide has an expression as text.
    if (
      name === 'where' &&
      args.length === 1 &&
      condition?.kind === 'literal' &&
      typeof condition.value === 'string'
    ) {
      const body = new Parser(condition.value, '', this.#paths).parse();
      if (body.kind !== 'path')
        return { kind: 'each', what: 'filter', list: input, variable: undefined, body };
    }
    return { kind: 'format', input, ...callOf(formatter, args) };
  }

  /** A filter: the data may have its result beside its input, under the name of that and the filter. */
  #unknownFilter(input: Expression, from: number, start: number): Expression {
    if (this.takes('(')) namedArguments(this, '', 0);
    else colonArguments(this, '', this.#isJinja ? ',' : ':');
    return unknownFilter(input, { call: this.#written(start), whole: this.#written(from) }, this.#paths);
  }
}
