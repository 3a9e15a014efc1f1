import { describe, numberOf } from '../decimals.ts';
import { DataError } from '../errors.ts';
import type { Json } from '../json.ts';

/** What an expression makes of a value. `datetime`: it shows the time of day. `sum`: numbers, or texts that it joins or orders. */
export type Hint = 'number' | 'sum' | 'date' | 'datetime' | 'array' | 'boolean' | 'any';

/** The settings of one document, and its budget. */
export interface FormatSettings {
  /** BCP 47. */
  readonly locale: string;
  /** IANA. */
  readonly timeZone: string;
  /** ISO 4217. */
  readonly currency: string | undefined;
  /** The text of a value in the document; throws a DataError for an object. */
  text(value: Json | undefined, path?: string): string;
  /** Spends units of work: an item read is one; throws a BoundError past the bound. */
  spend(units: number): void;
}

/** One use of a formatter. */
export interface Use {
  readonly input: Json | undefined;
  /** The place of the input in the data. */
  readonly path: string;
  readonly args: readonly (Json | undefined)[];
  readonly settings: FormatSettings;
}

interface Parameter {
  readonly name: string;
  /** `path`: the names of properties within each item. `operator`: a comparison. Neither needs quotes. */
  readonly kind?: 'path' | 'operator' | 'number';
  readonly isRequired?: true;
}

/** A named function of a value, as in `price | number(2)`. */
export interface Formatter {
  readonly name: string;
  readonly aliases?: readonly string[];
  readonly parameters?: readonly Parameter[];
  /** Any number of arguments may follow. */
  readonly isVariadic?: true;
  /** What the input has to be, for a description of the data. */
  readonly hint?: Hint;
  /** What each item of its input has to be. */
  readonly items?: Hint;
  /** A value that it can read, for the arguments that the template writes. */
  readonly sample?: (args: readonly (Json | undefined)[]) => Json | undefined;
  /** Its result is not made of what the input is, but of other values. */
  readonly makesOther?: true;
  /** Called for a missing input too. Without it, a missing input stays missing. */
  readonly takesMissing?: true;
  readonly apply: (use: Use) => Json | undefined;
}

/** The characters that a value may have as a text. */
export const TEXT_CHARS_MAX = 1_048_576;

/** The text of the input. */
export function textIn({ input, path, settings }: Use): string {
  return typeof input === 'string' ? input : settings.text(input, path);
}

/** An argument as a text; `otherwise` if it is missing. */
export function textArgument({ args, settings, path }: Use, index: number, otherwise: string): string {
  const value = args[index];
  return value === undefined || value === null ? otherwise : settings.text(value, path);
}

/** An argument as a whole number between bounds; `otherwise` if it is missing. */
export function wholeArgument<Otherwise extends number | undefined>(
  { args, path }: Use,
  index: number,
  { min = 0, max, otherwise }: { min?: number; max: number; otherwise: Otherwise },
): number | Otherwise {
  const value = args[index];
  if (value === undefined || value === null || value === '') return otherwise;
  const number = numberOf(value, path);
  if (Number.isInteger(number) && number >= min && number <= max) return number;
  throw new DataError(path, `the argument ${describe(value)} is not a whole number from ${min} to ${max}`);
}

/** Refuses a text that is too long to be the value of a mark. */
export function bounded(text: string, path: string): string {
  if (text.length <= TEXT_CHARS_MAX) return text;
  throw new DataError(path, `its text exceeds ${TEXT_CHARS_MAX} characters`);
}
