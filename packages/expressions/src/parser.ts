import { callOf, knownFormatter } from './calls.ts';
import { ExpressionError } from './errors.ts';
import { formatterNamed, nearName } from './formatters/table.ts';
import { Operators } from './operators.ts';
import { extended, type PathOptions, pathOf } from './paths.ts';
import type { Expression } from './syntax-tree.ts';
import { type Token, tokensOf } from './tokens.ts';
import { callText, unknownCall, unknownFilter, unknownMethod } from './unknown-calls.ts';

/** Methods of JavaScript and Python that mean the same as the formatter with their name. */
const METHODS: ReadonlySet<string> = new Set([
  'upper',
  'lower',
  'title',
  'capitalize',
  'strip',
  'trim',
  'strftime',
  'toUpperCase',
  'toLowerCase',
  'toFixed',
  'join',
]);
const CONSTANTS: Readonly<Record<string, boolean | null>> = {
  true: true,
  True: true,
  false: false,
  False: false,
  null: null,
  none: null,
  None: null,
  undefined: null,
};
const DEPTH_MAX = 32;

/** A Pratt parser of the expressions that all dialects but Carbone and Word share. */
export class Parser {
  readonly #tokens: readonly Token[];
  readonly #text: string;
  readonly #isJinja: boolean;
  readonly #paths: PathOptions;
  readonly #operators: Operators;
  #at = 0;
  #depth = 0;

  constructor(text: string, syntax: string, paths: PathOptions) {
    this.#text = text;
    this.#tokens = tokensOf(text);
    this.#isJinja = syntax === 'jinja';
    this.#paths = paths;
    this.#operators = new Operators(this, { isJinja: this.#isJinja, isSpel: syntax === 'stamper' });
  }

  /** The whole text; throws an ExpressionError for anything that follows. */
  parse(): Expression {
    const expression = this.#piped();
    const { type, value } = this.peek();
    if (type === 'end') return expression;
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
    if (type === 'word') return this.#word(value, token.start);
    if (value === '(') {
      const inner = this.nested(() => this.#piped());
      this.expects(')');
      return inner;
    }
    if (value === '[') return { kind: 'list', items: this.#items(']') };
    if (value === '.' || value === '..') return this.#dotted(value === '.' ? 0 : 1);
    this.#at--;
    throw this.unexpected();
  }

  #word(name: string, from: number): Expression {
    const { type, value } = this.peek();
    if (type === 'sign' && value === '(') {
      if (formatterNamed(name) !== undefined || nearName(name, 1) !== undefined) return this.#called(name);
      this.next();
      this.#arguments(name, 0);
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
    const { type, value, start } = this.next();
    if (type !== 'word' && type !== 'number') {
      this.#at--;
      throw this.unexpected();
    }
    if (this.peek().value === '(' && this.peek().type === 'sign')
      return METHODS.has(value) ? this.#method(object, value) : this.#unknownMethod(object, from, start);
    return this.#withKey(object, { kind: 'literal', value });
  }

  #indexed(object: Expression): Expression {
    this.expects('[');
    const key = this.nested(() => this.#piped());
    this.expects(']');
    if (key.kind === 'negative' && key.operand.kind === 'literal' && this.#isJinja) {
      return this.#withKey(object, { kind: 'literal', value: `-${key.operand.value}` });
    }
    return this.#withKey(object, key);
  }

  #withKey(object: Expression, key: Expression): Expression {
    const name = key.kind === 'literal' && key.value !== null ? String(key.value) : undefined;
    const path = name === undefined ? undefined : extended(object, name, this.#paths);
    return path ?? { kind: 'member', object, key };
  }

  #method(object: Expression, name: string): Expression {
    this.expects('(');
    const args = this.#items(')');
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

  /** A method: the data may have its result, as a property of the object. */
  #unknownMethod(object: Expression, from: number, start: number): Expression {
    this.expects('(');
    this.#arguments('', 0);
    return unknownMethod(object, { call: this.#written(start), whole: this.#written(from) }, this.#paths);
  }

  /** `upper(name)`: the first argument is the input. */
  #called(name: string): Expression {
    this.expects('(');
    const { positional, named } = this.#arguments(name, 1);
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
      const { positional, named } = this.#arguments(name, 0);
      if (this.#isJinja && name === 'map' && positional.length > 0) {
        throw new ExpressionError('“map” takes attribute=… only');
      }
      return { kind: 'format', input, ...callOf(formatter, positional, named) };
    }
    const args: Expression[] = [];
    while (!this.#isJinja && this.takes(':')) args.push(this.#argument(name, args.length));
    return { kind: 'format', input, ...callOf(formatter, args) };
  }

  /** A filter: the data may have its result beside its input, under the name of that and the filter. */
  #unknownFilter(input: Expression, from: number, start: number): Expression {
    if (this.takes('(')) this.#arguments('', 0);
    else while (!this.#isJinja && this.takes(':')) this.#argument('', 0);
    return unknownFilter(input, { call: this.#written(start), whole: this.#written(from) }, this.#paths);
  }

  /** Arguments up to the closing parenthesis. `offset`: how many stand before the first parameter. */
  #arguments(name: string, offset: number): { positional: Expression[]; named: Map<string, Expression> } {
    const positional: Expression[] = [];
    const named = new Map<string, Expression>();
    while (!this.takes(')')) {
      if (positional.length + named.size > 0) this.expects(',');
      if (this.peek().type === 'word' && this.peek(1).value === '=' && this.peek(1).type === 'sign') {
        const key = this.next().value;
        this.next();
        named.set(
          key,
          this.nested(() => this.#piped()),
        );
      } else positional.push(this.#argument(name, positional.length - offset));
    }
    return { positional, named };
  }

  /** One argument. A comparison may stand without quotes where one is wanted. */
  #argument(name: string, index: number): Expression {
    const wanted = formatterNamed(name)?.parameters?.[index]?.kind;
    if (wanted === 'operator' && this.peek().type === 'sign')
      return { kind: 'literal', value: this.next().value };
    return this.nested(() => (this.peek(-1).value === ':' ? this.#operators.simple() : this.#piped()));
  }

  #items(closing: string): Expression[] {
    const items: Expression[] = [];
    while (!this.takes(closing)) {
      if (items.length > 0) this.expects(',');
      items.push(this.nested(() => this.#piped()));
    }
    return items;
  }
}
