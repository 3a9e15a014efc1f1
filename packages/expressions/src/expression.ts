import { ExpressionError } from './expression-error.ts';
import { FORMATTERS } from './formatters.ts';
import type { Json } from './json.ts';
import { type Token, tokensOf } from './tokens.ts';

export type BinaryOperator =
  | '=='
  | '!='
  | '<'
  | '<='
  | '>'
  | '>='
  | 'and'
  | 'or'
  | 'in'
  | '~'
  | '+'
  | '-'
  | '*'
  | '/'
  | '%';

/** A value that a loop defines. */
export type LoopFact = 'index' | 'number' | 'first' | 'last' | 'length' | 'hasNext' | 'key' | 'revnumber';

/** A parsed expression. */
export type Expression =
  | { kind: 'literal'; value: Json }
  /** A value by its path. Without steps, the innermost value. `isRoot`: only the outermost value is searched. */
  | { kind: 'path'; steps: readonly (string | Expression)[]; isRoot?: boolean; isOwn?: boolean }
  | { kind: 'loop'; fact: LoopFact }
  | { kind: 'not' | 'negative' | 'defined'; operand: Expression }
  | { kind: 'binary'; operator: BinaryOperator; left: Expression; right: Expression }
  | { kind: 'conditional'; condition: Expression; then: Expression; otherwise: Expression }
  | { kind: 'format'; name: string; input: Expression; arguments: readonly Expression[] }
  /** A text that may be one property name, such as `first name`, or else an expression. */
  | { kind: 'named'; name: string; otherwise: Expression | undefined };

export type ExpressionSyntax = 'curly' | 'jinja' | 'poi-tl' | 'carbone' | 'command' | 'word';

const CHARS_MAX = 2_000;
const DEPTH_MAX = 32;
/** Names that an object of the data may use as they are, although they look like expressions. */
const NAME = /^[\p{L}\p{N}_$][\p{L}\p{N}\p{M}_$ .,:;#@&'/()°%-]*$/u;
const PLAIN = /^[\p{L}_$][\p{L}\p{N}_$]*(?:\.[\p{L}_$][\p{L}\p{N}_$]*)*$/u;

/** Values of loops, by the names that template languages give them. */
const LOOP_FACTS: ReadonlyMap<string, LoopFact> = new Map([
  ['$index', 'index'],
  ['$idx', 'index'],
  ['_index', 'index'],
  ['_is_first', 'first'],
  ['_is_last', 'last'],
  ['_has_next', 'hasNext'],
  ['loop.index', 'number'],
  ['loop.index0', 'index'],
  ['loop.revindex', 'revnumber'],
  ['loop.first', 'first'],
  ['loop.last', 'last'],
  ['loop.length', 'length'],
  ['$key', 'key'],
]);
const THIS = new Set(['this', '#this', '.', 'self']);
const LITERALS: ReadonlyMap<string, Json> = new Map<string, Json>([
  ['true', true],
  ['True', true],
  ['false', false],
  ['False', false],
  ['null', null],
  ['none', null],
  ['None', null],
  ['nil', null],
]);

/**
 * Parses an expression of a template: paths, literals, comparisons, decimal arithmetic and formatters. Throws
 * ExpressionError, whose message says what is wrong. Nothing is ever run as code.
 */
export function parseExpression(text: string, options: { syntax?: ExpressionSyntax } = {}): Expression {
  const source = text.trim();
  const { syntax = 'curly' } = options;
  if (source === '') throw new ExpressionError('It names no value');
  if (source.length > CHARS_MAX) throw new ExpressionError(`It has more than ${CHARS_MAX} characters`);
  if (PLAIN.test(source) && !LITERALS.has(source)) return pathOf(source);
  const isName = NAME.test(source) && !/^[\d.]+$/.test(source) && syntax !== 'carbone';
  try {
    const parsed = new Parser(tokensOf(source), syntax).whole();
    return isName && !isFact(parsed) ? { kind: 'named', name: source, otherwise: parsed } : parsed;
  } catch (error) {
    if (isName && error instanceof ExpressionError && !error.isCertain)
      return { kind: 'named', name: source, otherwise: undefined };
    throw error;
  }
}

function isFact({ kind }: Expression): boolean {
  return kind === 'loop' || kind === 'literal';
}

function pathOf(source: string): Expression {
  const fact = LOOP_FACTS.get(source);
  if (fact !== undefined) return { kind: 'loop', fact };
  if (THIS.has(source)) return { kind: 'path', steps: [] };
  const [first = '', ...others] = source.split('.');
  return THIS.has(first)
    ? { kind: 'path', steps: others, isOwn: true }
    : { kind: 'path', steps: [first, ...others] };
}

/** Operators by precedence, lowest first. */
const LEVELS: readonly (readonly [written: readonly string[], operators: readonly BinaryOperator[]])[] = [
  [
    ['or', '||'],
    ['or', 'or'],
  ],
  [
    ['and', '&&'],
    ['and', 'and'],
  ],
  [
    ['==', '===', '!=', '!==', '<>', '<', '<=', '>', '>=', 'in'],
    ['==', '==', '!=', '!=', '!=', '<', '<=', '>', '>=', 'in'],
  ],
  [['~'], ['~']],
  [
    ['+', '-'],
    ['+', '-'],
  ],
  [
    ['*', '/', '%'],
    ['*', '/', '%'],
  ],
];
const COMPARISON = 2;

class Parser {
  readonly #tokens: readonly Token[];
  readonly #syntax: ExpressionSyntax;
  #at = 0;
  #depth = 0;

  constructor(tokens: readonly Token[], syntax: ExpressionSyntax) {
    this.#tokens = tokens;
    this.#syntax = syntax;
  }

  whole(): Expression {
    const expression = this.#filtered();
    const rest = this.#tokens[this.#at];
    if (rest !== undefined) throw new ExpressionError(`It has “${rest.text}” where it should end`);
    return expression;
  }

  /** An expression with formatters that apply to all of it. */
  #filtered(): Expression {
    if (++this.#depth > DEPTH_MAX)
      throw new ExpressionError(`It is nested more than ${DEPTH_MAX} levels deep`, true);
    let expression = this.#conditional();
    while (this.#take('|')) expression = this.#formatter(expression);
    this.#depth--;
    return expression;
  }

  #conditional(): Expression {
    const first = this.#binary(0);
    if (this.#take('?')) {
      const then = this.#filtered();
      this.#expect(':');
      return { kind: 'conditional', condition: first, then, otherwise: this.#filtered() };
    }
    if (!this.#takeWord('if')) return first;
    const condition = this.#binary(0);
    const otherwise: Expression = this.#takeWord('else') ? this.#filtered() : { kind: 'literal', value: '' };
    return { kind: 'conditional', condition, then: first, otherwise };
  }

  #binary(level: number): Expression {
    const [written, operators] = LEVELS[level] ?? [];
    if (written === undefined || operators === undefined) return this.#unary();
    if (level === COMPARISON && this.#takeWord('not')) return { kind: 'not', operand: this.#binary(level) };
    let left = this.#binary(level + 1);
    for (;;) {
      if (level === COMPARISON && this.#takeWord('is')) {
        left = this.#test(left);
        continue;
      }
      const isNotIn = level === COMPARISON && this.#peek('not') && this.#peek('in', 1);
      if (isNotIn) this.#at++;
      const at = written.findIndex((operator) => this.#takeOperator(operator));
      const operator = operators[at];
      if (operator === undefined) return left;
      const whole: Expression = { kind: 'binary', operator, left, right: this.#binary(level + 1) };
      left = isNotIn ? { kind: 'not', operand: whole } : whole;
    }
  }

  /** Jinja's tests: `is defined`, `is not none`. */
  #test(operand: Expression): Expression {
    const isNegative = this.#takeWord('not');
    const name = this.#tokens[this.#at++]?.text ?? '';
    const isKnown = name === 'defined' || name === 'undefined' || name === 'none';
    if (!isKnown) throw new ExpressionError(`It has the unknown test “${name}”`, true);
    const test: Expression = { kind: 'defined', operand };
    return (name === 'defined') !== isNegative ? test : { kind: 'not', operand: test };
  }

  #unary(): Expression {
    if (++this.#depth > DEPTH_MAX)
      throw new ExpressionError(`It is nested more than ${DEPTH_MAX} levels deep`, true);
    const operand = this.#prefixed();
    this.#depth--;
    return operand;
  }

  #prefixed(): Expression {
    if (this.#take('!')) return { kind: 'not', operand: this.#unary() };
    if (this.#take('-')) return { kind: 'negative', operand: this.#unary() };
    if (this.#take('+')) return this.#unary();
    let operand = this.#primary();
    if (this.#syntax === 'carbone') while (this.#take(':')) operand = this.#formatter(operand);
    // In Jinja, a filter applies to the operand before it.
    if (this.#syntax === 'jinja') while (this.#take('|')) operand = this.#formatter(operand);
    return operand;
  }

  #primary(): Expression {
    const token = this.#tokens[this.#at++];
    if (token === undefined) throw new ExpressionError('It ends too early');
    if (token.type === 'text') return this.#steps({ kind: 'literal', value: token.text });
    if (token.type === 'number') return { kind: 'literal', value: Number(token.text) };
    if (token.text === '(') {
      const inner = this.#filtered();
      this.#expect(')');
      return inner;
    }
    if (token.text === '.') return this.#relative();
    if (token.type !== 'name') throw new ExpressionError(`It has “${token.text}” where a value should be`);
    if (this.#peek('(')) return this.#call(token.text);
    const literal = LITERALS.get(token.text);
    if (literal !== undefined) return { kind: 'literal', value: literal };
    return this.#path(token.text);
  }

  /** `.` is the innermost value, `.a` its own property. */
  #relative(): Expression {
    const token = this.#tokens[this.#at];
    if (token?.type !== 'name') return this.#steps({ kind: 'path', steps: [] });
    this.#at++;
    return this.#steps({ kind: 'path', steps: [token.text], isOwn: true });
  }

  #path(name: string): Expression {
    const path = this.#steps(
      THIS.has(name) ? { kind: 'path', steps: [], isOwn: true } : { kind: 'path', steps: [name] },
    );
    if (path.kind !== 'path' || path.steps.some((step) => typeof step !== 'string')) return path;
    const fact = LOOP_FACTS.get(path.steps.join('.'));
    return fact === undefined ? path : { kind: 'loop', fact };
  }

  #steps(start: Expression): Expression {
    const steps: (string | Expression)[] = [];
    for (;;) {
      if (this.#take('.')) {
        const token = this.#tokens[this.#at++];
        if (token?.type !== 'name' && token?.type !== 'number')
          throw new ExpressionError('It has a dot without a name after it');
        if (this.#peek('('))
          throw new ExpressionError(`It calls “${token.text}”; calls of methods are not taken`, true);
        steps.push(token.text);
      } else if (this.#take('[')) {
        const index = this.#filtered();
        this.#expect(']');
        steps.push(index.kind === 'literal' ? String(index.value) : index);
      } else break;
    }
    if (steps.length === 0) return start;
    if (start.kind !== 'path') throw new ExpressionError('It takes a property of a text');
    return { ...start, steps: [...start.steps, ...steps] };
  }

  /** `f(a, b)` with a known formatter is `a | f(b)`. */
  #call(name: string): Expression {
    const [input, ...others] = this.#arguments();
    if (input === undefined) throw new ExpressionError(`It calls “${name}” without a value`, true);
    return this.#formatted(name, input, others);
  }

  #formatter(input: Expression): Expression {
    const token = this.#tokens[this.#at++];
    if (token?.type !== 'name') throw new ExpressionError('It names no formatter', true);
    const own = this.#peek('(') ? this.#arguments() : [];
    // Angular writes arguments after colons.
    if (this.#syntax !== 'carbone') while (this.#take(':')) own.push(this.#binary(0));
    return this.#formatted(token.text, input, own);
  }

  #formatted(name: string, input: Expression, own: readonly Expression[]): Expression {
    if (!FORMATTERS.has(name)) {
      const isCall = this.#syntax === 'command';
      throw new ExpressionError(
        isCall ? `It calls the unknown function “${name}”` : `The formatter “${name}” is unknown`,
        true,
      );
    }
    return { kind: 'format', name, input, arguments: own };
  }

  #arguments(): Expression[] {
    this.#expect('(');
    const list: Expression[] = [];
    while (!this.#take(')')) {
      if (list.length > 0) this.#expect(',');
      list.push(this.#syntax === 'carbone' ? this.#bareArgument() : this.#filtered());
    }
    return list;
  }

  /** In Carbone, an argument without quotes is a text, unless it begins with a dot. */
  #bareArgument(): Expression {
    const first = this.#tokens[this.#at];
    if (first?.text === '.' || first?.type === 'text') return this.#filtered();
    let text = '';
    for (let token = this.#tokens[this.#at]; token !== undefined; token = this.#tokens[++this.#at]) {
      if (token.text === ',' || token.text === ')') break;
      text += token.space + token.text;
    }
    return { kind: 'literal', value: text.trim() };
  }

  #peek(text: string, ahead = 0): boolean {
    const token = this.#tokens[this.#at + ahead];
    return token !== undefined && token.type !== 'text' && token.text === text;
  }

  #take(text: string): boolean {
    const isThere = this.#peek(text);
    if (isThere) this.#at++;
    return isThere;
  }

  #takeWord(word: string): boolean {
    return this.#take(word);
  }

  #takeOperator(operator: string): boolean {
    return this.#take(operator);
  }

  #expect(text: string): void {
    if (!this.#take(text)) throw new ExpressionError(`It lacks “${text}”`);
  }
}

export type { Json };
export { ExpressionError };
