import type { Decimal } from 'decimal.js';
import type { Json } from '../json.ts';
import type { Locale } from '../locale.ts';

/** What a formatter can use besides its value. */
export interface FormatContext {
  locale: Locale;
  /** Reports that the value, or an argument, does not suit the formatter: `must be a number`. */
  fail(issue: string): never;
  text(value: Json | undefined): string;
  /** A number, or a text that is one, as an exact decimal. Fails for others. */
  decimal(value: Json | undefined): Decimal;
  areEqual(left: Json | undefined, right: Json | undefined): boolean;
}

/** Changes a value. A missing value is undefined. */
export type Formatter = (
  value: Json | undefined,
  args: readonly (Json | undefined)[],
  context: FormatContext,
) => Json | undefined;

/** Formatters with their names, separated by spaces. */
export type FormatterList = readonly (readonly [names: string, formatter: Formatter])[];

/** Longest text that a formatter makes, as that of a value. */
export const TEXT_CHARS_MAX = 1024 * 1024;

export function isMissing(value: Json | undefined): value is null | undefined {
  return value === undefined || value === null;
}

/** A formatter of present values. A missing value stays missing. */
export function ofPresent(
  format: (value: Json, args: readonly (Json | undefined)[], context: FormatContext) => Json,
): Formatter {
  return (value, args, context) => (isMissing(value) ? value : format(value, args, context));
}

/** A whole number within bounds from an argument. */
export function wholeNumber(
  value: Json | undefined,
  { fallback, min = 0, max }: { fallback: number; min?: number; max: number },
  { fail }: FormatContext,
): number {
  if (isMissing(value) || value === '') return fallback;
  const number = Number(value);
  if (!Number.isInteger(number) || number < min || number > max)
    return fail(
      `is formatted with “${String(value).slice(0, 40)}”, which must be a whole number from ${min} to ${max}`,
    );
  return number;
}

export function bounded(text: string, { fail }: FormatContext): string {
  return text.length > TEXT_CHARS_MAX
    ? fail(`leads to a text of more than ${TEXT_CHARS_MAX} characters`)
    : text;
}
