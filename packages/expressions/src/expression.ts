import { callOf, knownFormatter } from './calls.ts';
import { parseChain } from './carbone.ts';
import { ExpressionError } from './errors.ts';
import type { Json } from './json.ts';
import { Parser } from './parser.ts';
import { isName, nameOf } from './paths.ts';
import type { Expression } from './syntax-tree.ts';
import { parseField } from './word-field.ts';

export type { Expression, Json };
export { ExpressionError };

/** The dialects that read some signs differently. */
export type ExpressionSyntax =
  | 'curly'
  | 'jinja'
  | 'poi-tl'
  | 'carbone'
  | 'command'
  | 'stamper'
  | 'handlebars'
  | 'dotnet'
  | 'word';

const TEXT_CHARS_MAX = 2000;

/**
 * Parses an expression of a template. `syntax` is `curly` by default. A text that is the name of a property, such as
 * `first name`, is an expression too. `isLoose`: names are compared as Word compares those of merge fields. Throws an
 * ExpressionError for a mistake.
 *
 * @example
 * import { Evaluator } from '@scriptorium/expressions/evaluate';
 * const evaluator = new Evaluator({ locale: 'en-US', timeZone: 'UTC' });
 * const scope = { value: { price: 12.5 }, path: 'data' };
 * evaluator.evaluate(parseExpression('price * 2'), scope).value // 25
 */
export function parseExpression(
  text: string,
  { syntax = 'curly', isLoose = false }: { syntax?: ExpressionSyntax; isLoose?: boolean } = {},
): Expression {
  const trimmed = text.trim();
  if (trimmed === '') throw new ExpressionError('an expression is missing');
  if (trimmed.length > TEXT_CHARS_MAX) {
    throw new ExpressionError(`an expression exceeds ${TEXT_CHARS_MAX.toLocaleString('en-US')} characters`);
  }
  const options = { isSearchedWhole: syntax === 'curly', isLoose };
  if (syntax === 'word')
    return parseField(trimmed, options, (name, args) => callOf(knownFormatter(name), args));
  if (syntax === 'carbone') return parseChain(trimmed);
  try {
    const expression = new Parser(trimmed, syntax, options).parse();
    return isPlain(expression) ? expression : nameOf(trimmed, expression, options);
  } catch (error) {
    if (error instanceof ExpressionError && isName(trimmed, syntax))
      return nameOf(trimmed, undefined, options);
    throw error;
  }
}

/** A path of one step, a text in quotes, or a name: an own property with the whole text as its name is nothing else. */
function isPlain(expression: Expression): boolean {
  if (expression.kind === 'name') return true;
  if (expression.kind === 'literal') return typeof expression.value === 'string';
  return expression.kind === 'path' && expression.steps.length + (expression.isThis ? 1 : 0) < 2;
}
