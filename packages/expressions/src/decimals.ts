import { Decimal } from 'decimal.js';
import { DataError } from './errors.ts';
import { isArray, type Json } from './json.ts';

/** 34 significant digits, as decimal128 of IEEE 754 has. */
const Exact = Decimal.clone({ precision: 34, rounding: Decimal.ROUND_HALF_UP });
const NUMERIC = /^\s*[+-]?(?:\d{1,400}(?:\.\d{0,400})?|\.\d{1,400})(?:[eE][+-]?\d{1,3})?\s*$/;

export function isNumeric(value: Json | undefined): value is number | string {
  return typeof value === 'number' || (typeof value === 'string' && NUMERIC.test(value));
}

/** A JSON number, or a text that is a decimal number, as a decimal. */
export function decimalOf(value: Json | undefined, path: string): Decimal {
  if (typeof value === 'number') return new Exact(value);
  if (typeof value === 'string' && NUMERIC.test(value)) return new Exact(value.trim());
  throw new DataError(path, `${describe(value)} is not a number`);
}

/** As decimalOf, as a JSON number. */
export function numberOf(value: Json | undefined, path: string): number {
  return typeof value === 'number' ? value : jsonNumber(decimalOf(value, path), path);
}

/** The JSON number nearest to a decimal. */
function jsonNumber(decimal: Decimal, path: string): number {
  const number = decimal.toNumber();
  if (!Number.isFinite(number)) throw new DataError(path, 'the result is too large for a number');
  return number === 0 ? 0 : number;
}

/** A short description of a value for messages: the text itself, or its type. */
export function describe(value: Json | undefined): string {
  if (typeof value === 'string') return `“${value.length > 40 ? `${value.slice(0, 40)}…` : value}”`;
  if (value === null || value === undefined) return 'a missing value';
  if (typeof value === 'object') return isArray(value) ? 'an array' : 'an object';
  return String(value);
}

export type Arithmetic = '+' | '-' | '*' | '/' | '//' | '%' | 'modulo';

export interface Operand {
  value: Json | undefined;
  path: string;
}

/**
 * Computes in decimal. `//` rounds down; the result of `%` has the sign of the dividend, that of `modulo` the sign of
 * the divisor.
 */
export function compute(operator: Arithmetic, left: Operand, right: Operand): number {
  const { value: a } = left;
  const { value: b } = right;
  if (Number.isSafeInteger(a) && Number.isSafeInteger(b)) {
    const whole = computeWhole(operator, a as number, b as number);
    if (Number.isSafeInteger(whole)) return whole === 0 ? 0 : whole;
  }
  const x = decimalOf(a, left.path);
  const y = decimalOf(b, right.path);
  if (y.isZero() && operator !== '+' && operator !== '-' && operator !== '*') {
    throw new DataError(right.path, 'is 0, and a number cannot be divided by it');
  }
  return jsonNumber(computeExact(operator, x, y), left.path);
}

function computeWhole(operator: Arithmetic, a: number, b: number): number {
  if (operator === '+') return a + b;
  if (operator === '-') return a - b;
  return operator === '*' ? a * b : Number.NaN;
}

function computeExact(operator: Arithmetic, x: Decimal, y: Decimal): Decimal {
  switch (operator) {
    case '+':
      return x.plus(y);
    case '-':
      return x.minus(y);
    case '*':
      return x.times(y);
    case '/':
      return x.div(y);
    case '//':
      return x.div(y).floor();
    case '%':
      return x.mod(y);
    case 'modulo': {
      const rest = x.mod(y);
      return rest.isZero() || rest.isNegative() === y.isNegative() ? rest : rest.plus(y);
    }
  }
}

/** Numbers with six decimals at most are summed as whole numbers of millionths. */
const MILLION = 1_000_000;
/** A number of at most 15 digits is the only one that is so near to its binary form. */
const MILLIONTHS_MAX = 1e15;

/**
 * Adds up numbers without a rounding error before the end; missing ones do not count. `placeOf` has the place of an
 * item for messages, and that of the whole without an index.
 */
export function sumOf(values: readonly (Json | undefined)[], placeOf: (index?: number) => string): number {
  let millionths = 0;
  let exact = new Exact(0);
  for (let index = 0; index < values.length; index++) {
    const value = values[index];
    if (value === null || value === undefined) continue;
    const scaled = typeof value === 'number' ? Math.round(value * MILLION) : Number.NaN;
    const next = millionths + scaled;
    const isExact = Math.abs(scaled) < MILLIONTHS_MAX && scaled / MILLION === value;
    if (isExact && Number.isSafeInteger(next)) millionths = next;
    else exact = exact.plus(decimalOf(value, typeof value === 'number' ? '' : placeOf(index)));
  }
  return jsonNumber(exact.plus(new Exact(millionths).div(MILLION)), placeOf());
}

/** Rounds half away from zero to some decimals. */
export function roundTo(
  value: Json | undefined,
  decimals: number,
  path: string,
  mode?: 'up' | 'down',
): number {
  const rounding =
    mode === undefined ? Decimal.ROUND_HALF_UP : mode === 'up' ? Decimal.ROUND_CEIL : Decimal.ROUND_FLOOR;
  const exact = decimalOf(value, path);
  if (decimals >= 0) return jsonNumber(exact.toDecimalPlaces(decimals, rounding), path);
  const unit = new Exact(10).pow(-decimals);
  return jsonNumber(exact.div(unit).toDecimalPlaces(0, rounding).times(unit), path);
}

/** Less than 0, 0 or greater than 0, for numbers, numeric texts, or two texts. Undefined if a value is missing. */
export function compare(left: Operand, right: Operand): number | undefined {
  const { value: a } = left;
  const { value: b } = right;
  if (a === null || a === undefined || b === null || b === undefined) return undefined;
  if (typeof a === 'number' && typeof b === 'number') return a - b;
  if (typeof a === 'string' && typeof b === 'string' && !(isNumeric(a) && isNumeric(b))) {
    return a < b ? -1 : a > b ? 1 : 0;
  }
  return decimalOf(a, left.path).comparedTo(decimalOf(b, right.path));
}

const EQUAL_DEPTH_MAX = 32;

/** Whether two values are equal. A numeric text equals its number unless `isStrict`. Null equals missing. */
export function areEqual(
  a: Json | undefined,
  b: Json | undefined,
  { isStrict = false, spend }: { isStrict?: boolean; spend(units: number): void },
  depth = 0,
): boolean {
  if (typeof a === 'string' && typeof b === 'string' && a.length === b.length) spend(a.length >> 10);
  if (a === b) return true;
  if (a === null || a === undefined || b === null || b === undefined) return (a ?? null) === (b ?? null);
  if (typeof a === 'object' || typeof b === 'object') {
    if (typeof a !== 'object' || typeof b !== 'object' || depth >= EQUAL_DEPTH_MAX) return false;
    if (isArray(a) && isArray(b)) {
      if (a.length !== b.length) return false;
      spend(a.length);
      return a.every((item, index) => areEqual(item, b[index], { isStrict, spend }, depth + 1));
    }
    const keys = Object.keys(a);
    if (isArray(a) !== isArray(b) || keys.length !== Object.keys(b).length) return false;
    spend(keys.length);
    const [one, other] = [a, b] as { [key: string]: Json }[];
    return keys.every(
      (key) => Object.hasOwn(b, key) && areEqual(one?.[key], other?.[key], { isStrict, spend }, depth + 1),
    );
  }
  if (isStrict || typeof a === typeof b || !isNumeric(a) || !isNumeric(b)) return false;
  return decimalOf(a, '').equals(decimalOf(b, ''));
}

/** A number in digits without an exponent: integers exactly, others with 15 significant digits at most. */
export function plainNumber(number: number): string {
  if (Number.isSafeInteger(number)) return String(number === 0 ? 0 : number);
  const shortest = String(number);
  // 15 digits at most, with a sign and a decimal point.
  if (shortest.length <= 16 && !shortest.includes('e')) return shortest;
  const rounded = Number(number.toPrecision(15));
  const text = String(rounded);
  return text.includes('e') ? new Exact(rounded).toFixed() : text;
}

/** Two texts of which one is not a number, or a missing one: `first + last`. */
export function areTexts(a: Json | undefined, b: Json | undefined): boolean {
  const isWord = (value: Json | undefined) => typeof value === 'string' && value !== '' && !isNumeric(value);
  const isTextual = (value: Json | undefined) =>
    typeof value === 'string' || value === undefined || value === null;
  return (isWord(a) && isTextual(b)) || (isWord(b) && isTextual(a));
}
