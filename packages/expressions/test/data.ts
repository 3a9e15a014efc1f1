import { DataError, Evaluator, type Scope } from '../src/evaluate.ts';
import { type ExpressionSyntax, type Json, parseExpression } from '../src/expression.ts';

export interface Setting {
  locale?: string;
  timeZone?: string;
  currency?: string;
  syntax?: ExpressionSyntax;
}

/** The value of an expression in some data, or in a scope. */
export function resultOf(text: string, data: Json | Scope, setting: Setting = {}): Json | undefined {
  return evaluated(text, isScope(data) ? data : { value: data, path: 'data' }, setting).value;
}

/** The value of an expression with its place. */
export function evaluated(text: string, scope: Scope, { syntax, locale = 'en-US', ...others }: Setting = {}) {
  const evaluator = new Evaluator({ locale, timeZone: 'UTC', ...others });
  return evaluator.evaluate(parseExpression(text, { syntax: syntax ?? 'curly' }), scope);
}

function isScope(data: Json | Scope): data is Scope {
  return typeof data === 'object' && data !== null && 'path' in data && 'value' in data;
}

/** The DataError of an expression. Fails if there is none. */
export function mistakeOf(text: string, data: Json, setting: Setting = {}): { path: string; issue: string } {
  try {
    const value = resultOf(text, data, setting);
    throw new Error(`${text} has the value ${JSON.stringify(value)}`);
  } catch (error) {
    if (!(error instanceof DataError)) throw error;
    return { path: error.path, issue: error.message };
  }
}

/** Random numbers from a seed (mulberry32), from 0 to below 1. */
export function randomOf(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}
