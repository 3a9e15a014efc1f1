import type { Json } from './expression.ts';
import type { Locale } from './locale.ts';
export interface FormatContext { locale: Locale; fail(issue: string): never; text(value: Json | undefined): string }
export type Formatter = (value: Json | undefined, args: readonly (Json | undefined)[], context: FormatContext) => Json | undefined;
export const FORMATTERS: ReadonlyMap<string, Formatter> = new Map<string, Formatter>([
  ['upper', (value, _args, { text }) => text(value).toUpperCase()],
  ['lower', (value, _args, { text }) => text(value).toLowerCase()],
  ['default', (value, [fallback]) => value ?? fallback],
  ['join', (value, [separator = ', '], { text, fail }) => Array.isArray(value) ? value.map(text).join(text(separator)) : fail('must be a list')],
  ['length', (value) => Array.isArray(value) || typeof value === 'string' ? value.length : 0],
]);
