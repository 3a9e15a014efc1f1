import { callOf, knownFormatter } from './calls.ts';
import type { Arithmetic } from './decimals.ts';
import { ExpressionError } from './errors.ts';
import type { Comparison, Expression, Test } from './syntax-tree.ts';
import type { Token } from './tokens.ts';

/** What the operators need of the parser around them. */
interface OperatorContext {
  peek(ahead?: number): Token;
  next(): Token;
  takes(value: string): boolean;
  expects(value: string): void;
  unexpected(): ExpressionError;
  nested<Result>(parse: () => Result): Result;
  operand(hasFilters: boolean): Expression;
  filtered(expression: Expression, from: number): Expression;
}

/** How tight an operator binds. Jinja's `~` binds tighter than its `+`, as in its own parser. */
const OR = 1;
const AND = 2;
const COMPARISON = 4;
const POWERS: Readonly<Record<string, number>> = {
  or: OR,
  '||': OR,
  '??': OR,
  and: AND,
  '&&': AND,
  '==': COMPARISON,
  '!=': COMPARISON,
  '===': COMPARISON,
  '!==': COMPARISON,
  '<>': COMPARISON,
  '<': COMPARISON,
  '<=': COMPARISON,
  '>': COMPARISON,
  '>=': COMPARISON,
  in: COMPARISON,
  contains: COMPARISON,
  not: COMPARISON,
  is: COMPARISON,
  '+': 5,
  '-': 5,
  '~': 6,
  '*': 7,
  '/': 7,
  '//': 7,
  '%': 7,
};
const WORDS: ReadonlySet<string> = new Set(['or', 'and', 'in', 'not', 'is', 'if', 'else']);

const TESTS: Readonly<Record<string, Test>> = {
  defined: 'defined',
  none: 'none',
  None: 'none',
  null: 'none',
  string: 'string',
  number: 'number',
  integer: 'number',
  float: 'number',
  boolean: 'boolean',
  mapping: 'mapping',
  sequence: 'sequence',
  iterable: 'sequence',
  true: 'true',
  True: 'true',
  false: 'false',
  False: 'false',
  odd: 'odd',
  even: 'even',
  divisibleby: 'divisibleby',
  empty: 'empty',
};
const COMPARING_TESTS: Readonly<Record<string, Comparison>> = {
  eq: '==',
  equalto: '==',
  ne: '!=',
  lt: '<',
  lessthan: '<',
  le: '<=',
  gt: '>',
  greaterthan: '>',
  ge: '>=',
  in: 'in',
};

/** Parses operators by their precedence. */
export class Operators {
  readonly #source: OperatorContext;
  readonly #isJinja: boolean;
  readonly #isSpel: boolean;

  constructor(source: OperatorContext, { isJinja, isSpel }: { isJinja: boolean; isSpel: boolean }) {
    this.#source = source;
    this.#isJinja = isJinja;
    this.#isSpel = isSpel;
  }

  /** Any expression without filters: `c ? x : y`, `c ?: y`, `x if c else y`, and all that binds tighter. */
  expression(): Expression {
    const source = this.#source;
    const first = this.simple();
    if (source.takes('?')) {
      if (source.takes(':'))
        return this.#either(
          first,
          source.nested(() => this.expression()),
        );
      const whenTrue = source.nested(() => this.expression());
      source.expects(':');
      const whenFalse = source.nested(() => this.expression());
      return { kind: 'conditional', test: first, whenTrue, whenFalse };
    }
    if (!source.takes('if')) return first;
    const test = source.nested(() => this.simple());
    const otherwise = source.takes('else')
      ? source.nested(() => this.expression())
      : ({ kind: 'literal', value: null } as const);
    return { kind: 'conditional', test, whenTrue: first, whenFalse: otherwise };
  }

  /** `a ?: b`. SpEL takes the second value for null and for an empty text only, other languages for all that is false. */
  #either(left: Expression, right: Expression): Expression {
    if (!this.#isSpel) return { kind: 'or', left, right };
    return { kind: 'format', input: left, ...callOf(knownFormatter('ifEmpty'), [right]) };
  }

  /** An expression without a choice. */
  simple(): Expression {
    return this.#from(0);
  }

  /** Whether the next word is an operator between two operands. */
  isNext(): boolean {
    const { type, value } = this.#source.peek();
    return type === 'word' && WORDS.has(value);
  }

  /** Operators that bind tighter than `power`. */
  #from(power: number): Expression {
    let left = this.#prefixed();
    let last: Expression | undefined;
    for (;;) {
      const { type, value } = this.#source.peek();
      const isWord = type === 'word' && (WORDS.has(value) || (this.#isJinja && value === 'contains'));
      if (type !== 'sign' && !isWord) return left;
      const next = Object.hasOwn(POWERS, value) ? (POWERS[value] ?? 0) : 0;
      if (next <= power) return left;
      this.#source.next();
      const combined = this.#combined(left, value, next);
      // Python compares each two neighbors.
      const before = this.#isJinja && combined.kind === 'comparison' ? last : undefined;
      left = before ? { kind: 'and', left, right: { ...combined, left: before } as Expression } : combined;
      last = combined.kind === 'comparison' ? combined.right : undefined;
    }
  }

  /** Jinja's filters apply to an operand with its sign: `-5|abs` is 5. */
  #prefixed(hasFilters = true): Expression {
    const source = this.#source;
    const { type, value, start } = source.peek();
    if (type === 'word' && value === 'not' && this.#isOperandNext()) {
      source.next();
      return { kind: 'not', operand: source.nested(() => this.#from(AND)) };
    }
    if (type !== 'sign' || (value !== '!' && value !== '-' && value !== '+'))
      return source.operand(hasFilters);
    source.next();
    const operand = source.nested(() => this.#prefixed(!this.#isJinja));
    const kind = value === '!' ? 'not' : value === '-' ? 'negative' : 'positive';
    return hasFilters ? source.filtered({ kind, operand }, start) : { kind, operand };
  }

  #isOperandNext(): boolean {
    const { type, value } = this.#source.peek(1);
    return type === 'sign' ? ['(', '[', '.', '-', '!'].includes(value) : type !== 'end';
  }

  #combined(left: Expression, operator: string, power: number): Expression {
    if (operator === 'is') return this.#tested(left);
    if (operator === 'not') {
      this.#source.expects('in');
      return { kind: 'comparison', operator: 'not in', left, right: this.#from(power) };
    }
    const right = this.#from(power);
    if (operator === 'contains') return { kind: 'comparison', operator: 'in', left: right, right: left };
    if (this.#isJinja && (operator === '==' || operator === '!=') && isNothing(right))
      return {
        kind: 'test',
        test: 'empty',
        operand: left,
        argument: undefined,
        isNegated: operator === '!=',
      };
    switch (operator) {
      case 'or':
      case '||':
        return { kind: 'or', left, right };
      case '??':
        return { kind: 'else', left, right };
      case 'and':
      case '&&':
        return { kind: 'and', left, right };
      case '~':
        return { kind: 'concatenation', left, right };
      case '+':
      case '-':
      case '*':
      case '/':
      case '//':
      case '%':
        return this.#arithmetic(operator, left, right);
      default:
        return {
          kind: 'comparison',
          operator: operator === '<>' ? '!=' : (operator as Comparison),
          left,
          right,
        };
    }
  }

  /** In Python and so in Jinja the result of `%` has the sign of the divisor. */
  #arithmetic(operator: Arithmetic, left: Expression, right: Expression): Expression {
    if (operator === '%' && this.#isJinja && isText(left)) {
      const args = right.kind === 'list' ? right.items : [right];
      return { kind: 'format', input: left, ...callOf(knownFormatter('format'), args) };
    }
    const isOfText = operator === '+' && (isText(left) || isText(right));
    return {
      kind: 'arithmetic',
      operator: operator === '%' && this.#isJinja ? 'modulo' : operator,
      left,
      right,
      isOfText,
    };
  }

  /** `is defined`, `is not none`, `is divisibleby 3`. */
  #tested(operand: Expression): Expression {
    const source = this.#source;
    let isNegated = source.takes('not');
    const name = source.next().value;
    if (Object.hasOwn(COMPARING_TESTS, name)) {
      const right = source.nested(() => this.#from(COMPARISON));
      const comparison: Expression = {
        kind: 'comparison',
        operator: COMPARING_TESTS[name] ?? '==',
        left: operand,
        right,
      };
      return isNegated ? { kind: 'not', operand: comparison } : comparison;
    }
    if (name === 'undefined') isNegated = !isNegated;
    const test = name === 'undefined' ? 'defined' : Object.hasOwn(TESTS, name) ? TESTS[name] : undefined;
    if (test === undefined) throw new ExpressionError(`unknown test “${name}” after “is”`);
    const argument = test === 'divisibleby' ? source.nested(() => this.#from(COMPARISON)) : undefined;
    return { kind: 'test', test, operand, argument, isNegated };
  }
}

/** What an empty value is compared with in Liquid. */
function isNothing(expression: Expression): boolean {
  if (expression.kind !== 'path' || expression.isThis || expression.steps.length !== 1) return false;
  return expression.steps[0]?.key === 'blank' || expression.steps[0]?.key === 'empty';
}

/** Whether an expression is a text by what the template says, whatever the data is. */
function isText(expression: Expression): boolean {
  if (expression.kind === 'literal') return typeof expression.value === 'string';
  return expression.kind === 'concatenation' || (expression.kind === 'arithmetic' && expression.isOfText);
}

/** A choice that names no other value shows nothing, and nothing is missing: `{{ "," if not loop.last }}`. */
export function withoutMissingElse(expression: Expression): Expression {
  if (expression.kind !== 'conditional') return expression;
  const { whenFalse } = expression;
  const isNothing = whenFalse.kind === 'literal' && whenFalse.value === null;
  return {
    ...expression,
    whenFalse: isNothing ? { kind: 'literal', value: '' } : withoutMissingElse(whenFalse),
  };
}
