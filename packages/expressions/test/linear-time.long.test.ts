import { expect, test } from '@jest/globals';
import { few } from '@scriptorium/testing/extent';
import { growthOf, LINEAR_GROWTH_MAX, unitsOf } from '@scriptorium/testing/growth';
import { Evaluator } from '../src/evaluate.ts';
import { type ExpressionSyntax, parseExpression } from '../src/expression.ts';

const PIECES = [
  'a',
  '1',
  ' ',
  '.',
  '-',
  "'",
  '"',
  '%',
  '%0',
  '%s',
  '\n',
  'é',
  '\u0301',
  '0',
  ',',
  ';',
  '#',
  '\ud800',
];

/** The expression of a value `v`, for a long text. */
const EXPRESSIONS: readonly (readonly [text: string, syntax?: ExpressionSyntax])[] = [
  ...[
    'title',
    'ucWords',
    'unaccent',
    'trim',
    'format(1)',
    'number',
    'date',
    'length',
    'replace("a", "b")',
  ].map((name) => [`v | ${name}`] as const),
  ['v | convDate("Hms", "YYYY")'],
  ['"2026-11-05" | date(v)'],
  ['v \\@ "d.M.yyyy"', 'word'],
  ['v \\* Caps', 'word'],
];

const CODE = [
  'a',
  '.',
  '1',
  ' ',
  '|',
  ':',
  '(',
  ')',
  '[',
  ']',
  '"',
  "'",
  '\\',
  ',',
  '+',
  '-',
  '!',
  '?',
  '=',
  '@',
  '*',
];

test.each(['curly', 'word'] as const)(
  'the time to read an expression of %s grows with it',
  async (syntax) => {
    for (const unit of few(unitsOf(CODE, 10, 19), 0, 14)) {
      const isLinear =
        (await growthOf((text) => parseExpression(text, { syntax }), unit)) < LINEAR_GROWTH_MAX;
      expect({ unit, isLinear }).toEqual({ unit, isLinear: true });
    }
  },
  600_000,
);

test.each(EXPRESSIONS)(
  'the time of %s grows with the text',
  async (text, syntax = 'curly') => {
    const expression = parseExpression(text, { syntax });
    const read = (v: string) =>
      new Evaluator({ locale: 'en-US', timeZone: 'UTC' }).evaluate(expression, {
        value: { v },
        path: 'data',
      });
    for (const unit of few(unitsOf(PIECES, 10, 7), 0, 14)) {
      const isLinear = (await growthOf(read, unit)) < LINEAR_GROWTH_MAX;
      expect({ unit, isLinear }).toEqual({ unit, isLinear: true });
    }
  },
  600_000,
);
