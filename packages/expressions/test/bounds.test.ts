import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { describe, expect, it } from '@jest/globals';
import { testInNightly } from '@scriptorium/testing/extent';
import { BoundError, Evaluator } from '../src/evaluate.ts';
import { type Json, parseExpression } from '../src/expression.ts';

const newEvaluator = () => new Evaluator({ locale: 'en-US', timeZone: 'UTC' });

describe('the budget of a document', () => {
  it('is 1,000,000 evaluations', () => {
    const evaluator = newEvaluator();
    const expression = parseExpression('a');
    const scope = { value: { a: 1 }, path: 'data' };
    for (let count = 0; count < 1_000_000; count++) evaluator.evaluate(expression, scope);
    expect(() => evaluator.evaluate(expression, scope)).toThrow(BoundError);
    expect(() => evaluator.evaluate(expression, scope)).toThrow('1,000,000 evaluations');
  });

  it.each([
    'xs | sum',
    'xs | sort | first',
    'xs | join | length',
    '1 in xs',
    'xs == ys',
    'xs | unique | count',
  ])('counts what %s reads', (text) => {
    const evaluator = newEvaluator();
    const expression = parseExpression(text);
    const xs = Array.from({ length: 100_000 }, (_, index) => index + 2);
    const scope = { value: { xs, ys: [...xs] }, path: 'data' };
    // Most of the budget, so that the test is short.
    evaluator.spend(9_500_000);
    expect(() => {
      for (let count = 0; count < 6; count++) evaluator.evaluate(expression, scope);
    }).toThrow(BoundError);
  });

  it('counts the characters that a sort compares', () => {
    const evaluator = newEvaluator();
    const expression = parseExpression('xs | sort | first');
    const xs = Array.from({ length: 500 }, (_, index) => `${'a'.repeat(2_000)}${index}`);
    const sort = () => evaluator.evaluate(expression, { value: { xs }, path: 'data' });
    sort();
    evaluator.spend(9_500_000);
    expect(() => {
      for (let count = 0; count < 3; count++) sort();
    }).toThrow(BoundError);
  });

  it.each([
    ['day | date(pattern)', 'EEEE MMMM d '],
    ['day | formatD("YYYY", pattern)', '[.]'],
    ['day \\@ pattern', 'dddd '],
  ])('counts the fields of the pattern of %s', (text, piece) => {
    const evaluator = newEvaluator();
    const pattern = piece.repeat(20);
    const syntax = text.includes('\\@') ? 'word' : 'curly';
    const expression = parseExpression(text.replace('\\@ pattern', `\\@ "${pattern}"`), { syntax });
    const scope = { value: { day: piece === '[.]' ? '.'.repeat(20) : '2026-11-05', pattern }, path: 'data' };
    evaluator.spend(10_000_000 - 10 - 10);
    expect(() => evaluator.evaluate(expression, scope)).toThrow(BoundError);
  });

  it('counts the texts that formatters make', () => {
    const evaluator = newEvaluator();
    const expression = parseExpression('t | padl(1000000)');
    evaluator.spend(9_500_000);
    expect(() => {
      for (let count = 0; count < 40; count++)
        evaluator.evaluate(expression, { value: { t: 'a' }, path: 'data' });
    }).toThrow(BoundError);
  });
});

describe('the text of a value', () => {
  const text = (value: Json | undefined) => newEvaluator().text(value);

  it.each([
    [0.1 + 0.2, '0.3'],
    [1 / 3, '0.333333333333333'],
    [-0, '0'],
    [1e21, '1000000000000000000000'],
    [1.5e-7, '0.00000015'],
    [9007199254740991, '9007199254740991'],
    [false, 'false'],
    [null, ''],
    [undefined, ''],
    [['a', 1, null], 'a, 1, '],
  ])('%p is %p', (value, expected) => {
    expect(text(value)).toBe(expected);
  });

  it('does not exist for an object', () => {
    expect(() => text({})).toThrow('an object has no text');
    expect(() => text([{}])).toThrow('an object has no text');
  });
});

// In a process of its own: looking up globals is slow inside Jest.
const TIMED = `
import { Evaluator } from '${new URL('../src/evaluate.ts', import.meta.url)}';
import { parseExpression } from '${new URL('../src/expression.ts', import.meta.url)}';
const scope = { value: { name: 'x', price: 12.5, a: { b: { c: 1 } } }, path: 'data' };
const timed = (text) => {
  const expression = parseExpression(text);
  const evaluator = new Evaluator({ locale: 'en-US', timeZone: 'UTC' });
  const round = () => {
    const start = performance.now();
    for (let count = 0; count < 100_000; count++) evaluator.text(evaluator.evaluate(expression, scope).value);
    return (performance.now() - start) / 100;
  };
  // The best of some rounds, because other processes share the machine.
  return Math.min(...Array.from({ length: 9 }, round));
};
console.log(JSON.stringify(['name', 'a.b.c', 'price'].map(timed)));
`;

// It measures the machine, too.
testInNightly('evaluates a path, and prints a number, in less than 1 µs', async () => {
  const flags = ['--conditions=source', '--input-type=module', '--eval', TIMED];
  const { stdout } = await promisify(execFile)(process.execPath, flags, { cwd: import.meta.dirname });
  const microseconds = JSON.parse(stdout) as number[];
  expect(microseconds).toHaveLength(3);
  for (const each of microseconds) expect(each).toBeLessThan(1);
});
