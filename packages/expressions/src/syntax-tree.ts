import type { Arithmetic } from './decimals.ts';
import type { Formatter } from './formatters/formatter.ts';
import type { Json, Step } from './json.ts';

/** A number that an item of a loop has beside its data. */
export type LoopField =
  | 'index'
  | 'index0'
  | 'first'
  | 'last'
  | 'length'
  | 'rest'
  | 'rest0'
  | 'next'
  | 'even'
  | 'odd'
  | 'key';

export interface PathExpression {
  readonly kind: 'path';
  readonly steps: readonly Step[];
  /** The path starts at the value of the scope itself, and is not searched outwards. */
  readonly isThis: boolean;
  /** How many scopes the path skips first: Carbone's `..name`. */
  readonly up: number;
  /** The variable that `$x` names, without its sign. */
  readonly variable: string | undefined;
  readonly loop: LoopField | undefined;
  /** docxtemplater: a path that ends in null or nothing is searched outwards as a whole. */
  readonly isSearchedWhole: boolean;
  /** Merge fields of Word: case does not matter, nor do signs other than letters or digits. */
  readonly isLoose: boolean;
}

/** A text that may be the name of one property, such as `first name`. */
export interface NameExpression {
  readonly kind: 'name';
  readonly name: Step;
  /** As in a path. */
  readonly isSearchedWhole: boolean;
  readonly isLoose: boolean;
  /** Its parts between dots as a path: `customer.first name`. */
  readonly path: PathExpression | undefined;
  /** Its meaning as an expression if no property has the name. */
  readonly otherwise: Expression | undefined;
  /** The text of a call that the language does not have. */
  readonly isCall?: true;
}

/** A formatter with its arguments; the input comes before it. */
export interface FormatterCall {
  readonly formatter: Formatter;
  readonly args: readonly Expression[];
}

/** What becomes of the items of a list, by the value that an expression has for each of them. */
export interface EachExpression {
  readonly kind: 'each';
  readonly what: 'filter' | 'map' | 'find' | 'findLast' | 'some' | 'every';
  readonly list: Expression;
  /** The name of an item. Without one, its properties are names. */
  readonly variable: string | undefined;
  readonly body: Expression;
}

/** One link of a Carbone chain. */
export type Link =
  | ({ readonly type: 'format' } & FormatterCall)
  | { readonly type: 'if'; readonly condition: Condition; readonly value: Expression | undefined }
  /** `:and(.other)`: the value that later conditions look at. */
  | { readonly type: 'and' | 'or'; readonly value: Expression | undefined }
  | { readonly type: 'show' | 'elseShow'; readonly value: Expression }
  /** `:ifEqual(2, 'two')`, `:ifEmpty('none')`. */
  | {
      readonly type: 'match';
      readonly condition: Condition;
      readonly value: Expression | undefined;
      readonly message: Expression;
      readonly isContinued: boolean;
    };

export type Condition =
  | 'ifEQ'
  | 'ifNE'
  | 'ifGT'
  | 'ifGTE'
  | 'ifLT'
  | 'ifLTE'
  | 'ifIN'
  | 'ifNIN'
  | 'ifEM'
  | 'ifNEM';

export type Comparison = '==' | '!=' | '===' | '!==' | '<' | '<=' | '>' | '>=' | 'in' | 'not in';

/** The tests of Jinja: `x is defined`. */
export type Test =
  | 'defined'
  | 'none'
  | 'string'
  | 'number'
  | 'boolean'
  | 'mapping'
  | 'sequence'
  | 'true'
  | 'false'
  | 'odd'
  | 'even'
  | 'divisibleby'
  | 'empty';

export type Expression =
  | { readonly kind: 'literal'; readonly value: Json }
  | PathExpression
  | NameExpression
  | { readonly kind: 'member'; readonly object: Expression; readonly key: Expression }
  | { readonly kind: 'list'; readonly items: readonly Expression[] }
  | { readonly kind: 'record'; readonly entries: readonly (readonly [name: string, value: Expression])[] }
  | { readonly kind: 'not' | 'negative' | 'positive'; readonly operand: Expression }
  | {
      readonly kind: 'arithmetic';
      readonly operator: Arithmetic;
      readonly left: Expression;
      readonly right: Expression;
      /** One side is written as a text in the template, so that `+` joins texts. */
      readonly isOfText: boolean;
    }
  | {
      readonly kind: 'comparison';
      readonly operator: Comparison;
      readonly left: Expression;
      readonly right: Expression;
    }
  | {
      readonly kind: 'and' | 'or' | 'else';
      readonly left: Expression;
      readonly right: Expression;
    }
  | { readonly kind: 'concatenation'; readonly left: Expression; readonly right: Expression }
  | {
      readonly kind: 'conditional';
      readonly test: Expression;
      readonly whenTrue: Expression;
      readonly whenFalse: Expression;
    }
  | {
      readonly kind: 'test';
      readonly test: Test;
      readonly operand: Expression;
      readonly argument: Expression | undefined;
      readonly isNegated: boolean;
    }
  | ({ readonly kind: 'format'; readonly input: Expression } & FormatterCall)
  | EachExpression
  | { readonly kind: 'chain'; readonly input: Expression; readonly links: readonly Link[] };
