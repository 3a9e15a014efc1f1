import { describe, expect, it } from '@jest/globals';
import { Decimal } from 'decimal.js';
import type { Json } from '../src/expression.ts';
import { mistakeOf, randomOf, resultOf } from './data.ts';

/** A pair of numbers with few decimals, as prices and quantities have. */
function pairs(seed: number, count: number): [number, number][] {
  const random = randomOf(seed);
  const number = () =>
    Number(((random() - 0.5) * 10 ** Math.floor(random() * 9)).toFixed(Math.floor(random() * 6)));
  return Array.from({ length: count }, () => [number(), number()]);
}

describe('arithmetic', () => {
  it('is exact in decimals for random numbers, as numbers and as texts', () => {
    for (const [a, b] of pairs(1, 500)) {
      const exact = {
        '+': new Decimal(a).plus(b),
        '-': new Decimal(a).minus(b),
        '*': new Decimal(a).times(b),
        ...(b !== 0 && { '/': new Decimal(a).div(b), '%': new Decimal(a).mod(b) }),
      };
      for (const [operator, result] of Object.entries(exact)) {
        const expected = result.toNumber() === 0 ? 0 : result.toNumber();
        expect([operator, a, b, resultOf(`a ${operator} b`, { a, b })]).toEqual([operator, a, b, expected]);
        expect(resultOf(`a ${operator} b`, { a: String(a), b: ` ${b} ` })).toBe(expected);
      }
    }
  });

  it('has the sign of the divisor in Jinja, as in Python', () => {
    expect(resultOf('-7 % 3', {}, { syntax: 'jinja' })).toBe(2);
    expect(resultOf('7 % -3', {}, { syntax: 'jinja' })).toBe(-2);
    expect(resultOf('-7 // 2', {}, { syntax: 'jinja' })).toBe(-4);
    expect(resultOf('-7 % 3', {})).toBe(-1);
  });

  it.each([
    ['price * 2', { price: 'abc' }, 'data.price'],
    ['a - b', { a: 1, b: {} }, 'data.b'],
    ['a * b', { a: true, b: 1 }, 'data.a'],
    ['total / parts', { total: 1, parts: 0 }, 'data.parts'],
    ['a + b', { a: 1, b: 'x' }, 'data.b'],
    ['a * a', { a: 1e300 }, 'data.a'],
    ['xs[1].n < 3', { xs: [{}, { n: 'many' }] }, 'data.xs[1].n'],
  ] as const)('refuses %s with the place of the value', (text, data, path) => {
    expect(mistakeOf(text, data).path).toBe(path);
  });

  it('is missing if an operand is', () => {
    expect(resultOf('price * quantity', { price: 3 })).toBeUndefined();
    expect(resultOf('-price', {})).toBeUndefined();
  });

  it('joins texts with +', () => {
    expect(resultOf('first + " " + last', { first: 'Ada', last: 'King' })).toBe('Ada King');
    expect(resultOf('first + " " + last', { first: '1', last: '2' })).toBe('1 2');
    expect(resultOf('zip + city', { zip: '3011', city: 'Bern' })).toBe('3011Bern');
    expect(resultOf('first + last', { first: 'Ada' })).toBe('Ada');
    expect(resultOf('a + b', { a: '1', b: '2' })).toBe(3);
  });
});

describe('precedence', () => {
  it.each<[string, Json]>([
    ['1 + 2 * 3', 7],
    ['(1 + 2) * 3', 9],
    ['10 - 4 - 3', 3],
    ['12 / 3 / 2', 2],
    ['-2 * -3', 6],
    ['1 + 1 == 2', true],
    ['1 < 2 == true', true],
    ['false or true and false', false],
    ['true || false && false', true],
    ['not 1 == 2', true],
    ['!0 and 1 == 1', true],
    ['1 == 2 ? "a" : 3 == 3 ? "b" : "c"', 'b'],
    ['nothing ?: "x"', 'x'],
    ['`a` + `b`', 'ab'],
    ['"a" ?: "x"', 'a'],
    ['1 + 2 | number:1', '3.0'],
    ['(1 | number:1) + " kg"', '1.0 kg'],
    ['2 in [1, 2] and "b" in "abc"', true],
    ['3 not in [1, 2]', true],
    ['missing ?? 4', 4],
  ])('%s is %j', (text, value) => {
    expect(resultOf(text, {})).toEqual(value);
  });

  it.each<[string, Json]>([
    ['1 + 2 | abs', 3],
    ['-5 | abs', 5],
    ['"a" ~ 1 + 1', 'a11'],
    ['"x" if a > 1 else "y"', 'y'],
    ['"x" if not a is defined else "y"', 'y'],
    ['a is defined and b is not defined', true],
    ['a is odd', true],
    ['6 is divisibleby 3', true],
    ['a in xs', true],
    ['"x" if a > 1', ''],
    ['o.get("p") ~ o.get("q", "d") ~ xs.includes(2)', 'Pdtrue'],
    ['xs | length + 1', 3],
    ['xs | sum * 2', 6],
    ['a is eq 1 or false', true],
  ])('in Jinja %s is %j', (text, value) => {
    expect(resultOf(text, { a: 1, xs: [1, 2], o: { p: 'P' } }, { syntax: 'jinja' })).toEqual(value);
  });
});

describe('comparison', () => {
  it('orders random numbers as decimals, and texts by their characters', () => {
    for (const [a, b] of pairs(2, 300)) {
      for (const data of [
        { a, b },
        { a: String(a), b },
        { a: String(a), b: String(b) },
      ]) {
        expect(['<', '<=', '>', '>=', '=='].map((operator) => resultOf(`a ${operator} b`, data))).toEqual(
          data.a === String(a) && data.b === String(b)
            ? [a < b, a <= b, a > b, a >= b, data.a === data.b]
            : [a < b, a <= b, a > b, a >= b, a === b],
        );
      }
    }
    expect(resultOf('"2026-01-31" < "2026-02-01"', {})).toBe(true);
  });

  it('finds null and missing equal, and nothing smaller or greater', () => {
    expect(resultOf('a == b', { a: null })).toBe(true);
    expect(resultOf('a == 0', {})).toBe(false);
    expect(resultOf('a < 1 or a >= 1', {})).toBe(false);
  });

  it('finds a number equal to its text unless it is strict', () => {
    expect(resultOf('a == 12', { a: '12.0' })).toBe(true);
    expect(resultOf('a === 12', { a: '12' })).toBe(false);
    expect(resultOf('a !== 12', { a: '12' })).toBe(true);
    expect(resultOf('a == b', { a: [1, { x: 2 }], b: [1, { x: 2 }] })).toBe(true);
  });

  it('takes docxtemplater’s false values for false', () => {
    for (const a of [false, null, 0, '', []]) expect(resultOf('a ? 1 : 2', { a })).toBe(2);
    for (const a of [true, 1, '0', 'false', [0], {}]) expect(resultOf('a ? 1 : 2', { a })).toBe(1);
    expect(resultOf('a or "none"', {})).toBe('none');
    expect(resultOf('a && b', { a: 1, b: 'two' })).toBe('two');
  });
});
