/** The cells that a formula in a table may use; row and column count from 0. */
export interface FormulaTable {
  row: number;
  column: number;
  /** The texts of its cells, by row. */
  rows: readonly (readonly string[])[];
}

export interface FormulaContext {
  decimal: string;
  /** The text of a bookmark, or the value of a variable. */
  named(name: string): string | undefined;
  table: FormulaTable | undefined;
  /** Whether the document may read so many more characters of cells. */
  spend(chars: number): boolean;
}

/** A formula that cannot be computed for certain. */
class Unclear extends Error {}

const TOKEN = /\s*(?:(\d+(?:[.,]\d+)*)|([\p{L}_][\p{L}\p{N}_]*)|(<>|<=|>=|[-+*/^%()=<>,;:]))/uy;
const CELL = /^([A-Z])(\d{1,3})$/i;
const CELLS_MAX = 10_000;
const DEPTH_MAX = 50;
const DIGITS = /\d[\d.,'\u00a0\u202f ]*/g;

/** Functions of a list of numbers (ECMA-376-1 §17.16.3.4). */
const FUNCTIONS: Readonly<Record<string, (values: readonly number[]) => number>> = {
  SUM: (values) => values.reduce((sum, value) => sum + value, 0),
  PRODUCT: (values) => values.reduce((product, value) => product * value, 1),
  AVERAGE: (values) => values.reduce((sum, value) => sum + value, 0) / values.length,
  COUNT: (values) => values.length,
  MIN: (values) => Math.min(...values),
  MAX: (values) => Math.max(...values),
  ABS: ([value = Number.NaN]) => Math.abs(value),
  INT: ([value = Number.NaN]) => Math.floor(value),
  SIGN: ([value = Number.NaN]) => Math.sign(value),
  MOD: ([value = Number.NaN, divisor = Number.NaN]) => value - divisor * Math.floor(value / divisor),
  ROUND: ([value = Number.NaN, digits = 0]) => roundTo(value, digits),
  NOT: ([value = Number.NaN]) => Number(value === 0),
  AND: (values) => Number(values.every((value) => value !== 0)),
  OR: (values) => Number(values.some((value) => value !== 0)),
};

/** Rounds half away from zero. */
export function roundTo(value: number, digits: number): number {
  const [mantissa = '', exponent = '0'] = Math.abs(value).toExponential().split('e');
  const shifted = Math.round(Number(`${mantissa}e${Number(exponent) + digits}`));
  return Math.sign(value) * Number(`${shifted}e${-digits}`);
}

/** The one number in a text: `1,234.50 EUR`. Undefined if there are none, NaN if there are several. */
export function numberIn(text: string, decimal: string): number | undefined {
  const [first, second] = text.matchAll(DIGITS);
  if (first === undefined) return undefined;
  if (second !== undefined) return Number.NaN;
  const digits = first[0].trim();
  const [whole = '', ...fraction] = digits.split(decimal);
  if (fraction.length > 1) return Number.NaN;
  const value = Number(`${whole.replaceAll(/\D/g, '')}.${(fraction[0] ?? '0').replaceAll(/\D/g, '') || '0'}`);
  const isNegative = /[-(]/.test(text.slice(0, first.index));
  return isNegative ? -value : value;
}

/**
 * Computes a formula (ECMA-376-1 §17.16.3). Undefined if a name, a cell or an operator is unknown, or if the result is
 * not a number.
 */
export function compute(formula: string, context: FormulaContext): number | undefined {
  try {
    const value = new Parser(formula, context).whole();
    return Number.isFinite(value) ? value : undefined;
  } catch (error) {
    if (error instanceof Unclear) return undefined;
    throw error;
  }
}

class Parser {
  readonly #text: string;
  readonly #context: FormulaContext;
  #at = 0;
  #depth = 0;
  /** The next token, in capitals; empty at the end. */
  #token = '';
  #isNumber = false;

  constructor(text: string, context: FormulaContext) {
    this.#text = text.trimEnd();
    this.#context = context;
    this.#next();
  }

  whole(): number {
    const value = this.#comparison();
    if (this.#token !== '') throw new Unclear();
    return value;
  }

  #next(): string {
    const last = this.#token;
    TOKEN.lastIndex = this.#at;
    const found = TOKEN.exec(this.#text);
    if (found === null && this.#at < this.#text.length) throw new Unclear();
    this.#at = found === null ? this.#at : TOKEN.lastIndex;
    this.#isNumber = found?.[1] !== undefined;
    this.#token = (found?.[1] ?? found?.[2] ?? found?.[3] ?? '').toUpperCase();
    return last;
  }

  #expect(token: string): void {
    if (this.#next() !== token) throw new Unclear();
  }

  #comparison(): number {
    if (++this.#depth > DEPTH_MAX) throw new Unclear();
    let left = this.#sum();
    while (['=', '<>', '<', '<=', '>', '>='].includes(this.#token)) {
      const operator = this.#next();
      left = Number(compare(left, operator, this.#sum()));
    }
    this.#depth--;
    return left;
  }

  #sum(): number {
    let left = this.#product();
    while (this.#token === '+' || this.#token === '-')
      left = this.#next() === '+' ? left + this.#product() : left - this.#product();
    return left;
  }

  #product(): number {
    let left = this.#power();
    while (this.#token === '*' || this.#token === '/')
      left = this.#next() === '*' ? left * this.#power() : left / this.#power();
    return left;
  }

  #power(): number {
    let left = this.#signed();
    while (this.#token === '^') {
      this.#next();
      left **= this.#signed();
    }
    return left;
  }

  #signed(): number {
    let sign = 1;
    while (this.#token === '-' || this.#token === '+') if (this.#next() === '-') sign = -sign;
    let value = this.#primary();
    while (this.#token === '%') {
      this.#next();
      value /= 100;
    }
    return sign * value;
  }

  #primary(): number {
    if (this.#isNumber) return this.#number(this.#next());
    if (this.#token === '(') {
      this.#next();
      const value = this.#comparison();
      this.#expect(')');
      return value;
    }
    const name = this.#next();
    if (!/^[\p{L}_]/u.test(name)) throw new Unclear();
    if (this.#token === '(') return this.#call(name);
    if (name === 'TRUE' || name === 'FALSE') return Number(name === 'TRUE');
    return this.#only(this.#valuesOf(name));
  }

  #number(text: string): number {
    const value = numberIn(text, this.#context.decimal);
    if (value === undefined) throw new Unclear();
    return value;
  }

  #only(values: readonly number[]): number {
    if (values.length !== 1 || values[0] === undefined) throw new Unclear();
    return values[0];
  }

  #call(name: string): number {
    this.#expect('(');
    if (name === 'DEFINED') {
      const asked = this.#next();
      this.#expect(')');
      return Number(this.#context.named(asked) !== undefined);
    }
    const values: number[] = [];
    while (this.#token !== ')') {
      values.push(...this.#argument());
      if (values.length > CELLS_MAX) throw new Unclear();
      if (this.#token === ',' || this.#token === ';') this.#next();
      else if (this.#token !== ')') throw new Unclear();
    }
    this.#next();
    if (name === 'IF') return (values[0] === 0 ? values[2] : values[1]) ?? Number.NaN;
    const apply = Object.hasOwn(FUNCTIONS, name) ? FUNCTIONS[name] : undefined;
    if (apply === undefined) throw new Unclear();
    return apply(values);
  }

  /** A value, or a range of cells. */
  #argument(): readonly number[] {
    const isName = /^[\p{L}_]/u.test(this.#token);
    const rest = this.#text.slice(this.#at).trimStart();
    if (!isName || !/^(?:[:,;)]|$)/.test(rest)) return [this.#comparison()];
    const name = this.#next();
    if (this.#token !== ':') return this.#valuesOf(name);
    this.#next();
    return this.#range(name, this.#next());
  }

  #valuesOf(name: string): readonly number[] {
    const { table, named } = this.#context;
    const text = named(name);
    if (text !== undefined) return [this.#numberOf(text) ?? Number.NaN];
    if (table === undefined) throw new Unclear();
    const { row, column, rows } = table;
    const inColumn = (some: FormulaTable['rows']) => some.map((cells) => cells[column] ?? '');
    switch (name) {
      case 'ABOVE':
        return this.#numbers(inColumn(rows.slice(0, row)).toReversed());
      case 'BELOW':
        return this.#numbers(inColumn(rows.slice(row + 1)));
      case 'LEFT':
        return this.#numbers((rows[row] ?? []).slice(0, column).toReversed());
      case 'RIGHT':
        return this.#numbers((rows[row] ?? []).slice(column + 1));
    }
    return this.#range(name, name);
  }

  #numberOf(text: string): number | undefined {
    if (!this.#context.spend(text.length + 1)) throw new Unclear();
    return numberIn(text, this.#context.decimal);
  }

  /** The numbers of neighbors. A blank cell, or one with text, ends the row of numbers or has none. */
  #numbers(texts: readonly string[]): number[] {
    if (!this.#context.spend(texts.length)) throw new Unclear();
    const end = texts.findIndex((text) => text.trim() === '');
    return (end === -1 ? texts : texts.slice(0, end))
      .map((text) => this.#numberOf(text))
      .filter((value) => value !== undefined);
  }

  #range(first: string, last: string): number[] {
    const { table } = this.#context;
    const [from, to] = [CELL.exec(first), CELL.exec(last)];
    if (table === undefined || from === null || to === null) throw new Unclear();
    const columnOf = (match: RegExpExecArray) => (match[1] ?? 'A').toUpperCase().charCodeAt(0) - 65;
    const found = table.rows
      .slice(Number(from[2]) - 1, Number(to[2]))
      .flatMap((cells) => cells.slice(columnOf(from), columnOf(to) + 1));
    if (found.length === 0) throw new Unclear();
    return found.map((text) => this.#numberOf(text)).filter((value) => value !== undefined);
  }
}

/** The result of a comparison of two numbers, or of two texts. */
export function compare(left: number | string, operator: string, right: number | string): boolean {
  if (operator === '=') return left === right;
  if (operator === '<>') return left !== right;
  if (operator === '<') return left < right;
  if (operator === '<=') return left <= right;
  return operator === '>' ? left > right : left >= right;
}
