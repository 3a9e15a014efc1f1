import { type Expression, ExpressionError, parseExpression } from '@scriptorium/expressions/expression';
import type { Instruction, Syntax } from '../instruction.ts';

/** A mark as found in a text, without its delimiters. */
export interface Tag {
  /** `tag` is `{…}`, `{{…}}` or what the caller's delimiters enclose. `statement` is `{%…%}`. `row` is `[…]`. */
  form: 'tag' | 'statement' | 'comment' | 'row';
  inner: string;
}

/** What a mark means, or why it is not taken. */
export type TagReading = { instruction: Instruction } | { issue: string };

/** A language of marks. */
export interface Dialect {
  syntax: Syntax;
  /** Reads the marks of a whole template, in document order. */
  read(tags: readonly Tag[]): TagReading[];
}

/** A mark that is a mistake, or is not taken. The message says what to do. */
export class TagError extends Error {}

/** The error for a mark that a language has and this service does not take. */
export function notTaken(what: string, instead: string): TagError {
  return new TagError(`${what} is not supported; ${instead}`);
}

/** Parses an expression of a language. Throws TagError or ExpressionError. */
export function expressionOf(text: string, syntax: Syntax): Expression {
  if (text.trim() === '') throw new TagError('Empty tag');
  return parseExpression(text.trim(), { syntax });
}

/** An expression without the property that could have its text as name. */
export function meaningOf(expression: Expression): Expression {
  return expression.kind === 'name' ? (expression.otherwise ?? expression) : expression;
}

/** The same, but a number is not the name of a property. */
export function constantOr(expression: Expression): Expression {
  const meaning = meaningOf(expression);
  return meaning.kind === 'literal' ? meaning : expression;
}

/** Texts and values one after another. */
export function joined([first, ...others]: readonly Expression[]): Expression {
  return others.reduce<Expression>(
    (left, right) => ({ kind: 'concatenation', left, right }),
    first ?? { kind: 'literal', value: '' },
  );
}

/** What a formatter makes of a value. */
export function piped(input: Expression, written: string): Expression {
  const format = meaningOf(parseExpression(`x | ${written}`, { syntax: 'jinja' }));
  if (format.kind !== 'format') throw new Error(`“${written}” is not a formatter`);
  return { ...format, input };
}

/** Reads marks one by one. Marks with the same text share an instruction. */
export function readEach(tags: readonly Tag[], read: (tag: Tag) => Instruction): TagReading[] {
  const known = new Map<string, TagReading>();
  return tags.map((tag) => {
    const key = `${tag.form} ${tag.inner}`;
    const before = known.get(key);
    if (before !== undefined) return before;
    const reading = attempt(() => read(tag));
    known.set(key, reading);
    return reading;
  });
}

/** The instruction, or the message of the TagError or ExpressionError that `read` throws. */
export function attempt(read: () => Instruction): TagReading {
  try {
    return { instruction: read() };
  } catch (error) {
    if (error instanceof TagError || error instanceof ExpressionError) return { issue: error.message };
    throw error;
  }
}
