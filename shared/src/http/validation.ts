import type { z } from 'zod';
import { AppError, type ErrorDetail } from '../errors.ts';

export const DETAILS_MAX = 100;
const NAME_CHARS_MAX = 64;
const NAME_SHOWN_CHARS = 20;

type Describe = (issue: z.core.$ZodRawIssue) => string | undefined;

export interface ValidationOptions {
  /** The text of an issue that neither the schema nor `validate` has one for; undefined for Zod's own. */
  describe?: Describe;
  detailsMax?: number;
}

/** Parses a part of the request. Throws VALIDATION_ERROR with a detail for every field at fault. */
export function validate<Schema extends z.ZodType>(
  schema: Schema,
  value: unknown,
  { describe, detailsMax = DETAILS_MAX }: ValidationOptions = {},
): z.output<Schema> {
  const parsed = schema.safeParse(value, { error: (issue) => textOf(issue) ?? describe?.(issue) });
  if (parsed.success) return parsed.data;
  throw invalid(parsed.error.issues.slice(0, detailsMax).flatMap(detailsOf).slice(0, detailsMax));
}

/** VALIDATION_ERROR, whose message lists the fields at fault. */
export function invalid(details: ErrorDetail[]): AppError {
  const fields = [...new Set(details.map((detail) => detail.field))];
  return new AppError('VALIDATION_ERROR', `Invalid request: ${fields.join(', ')}.`, { details });
}

/** The texts of what every schema refuses alike; a schema's own text goes before these. */
const textOf: Describe = (issue) => {
  if (issue.code === 'unrecognized_keys') return 'is not a known property';
  const isWrongKind = issue.code === 'invalid_type' || issue.code === 'invalid_value';
  return isWrongKind && issue.input === undefined ? 'is required' : undefined;
};

function detailsOf(issue: z.core.$ZodIssue): ErrorDetail[] {
  const keys = issue.code === 'unrecognized_keys' ? issue.keys.map((key) => [shortName(key)]) : [[]];
  return keys.map((key) => ({ field: pathOf([...issue.path, ...key]), issue: issue.message }));
}

/** A longer name may be anything that went astray, a private key too. */
function shortName(key: string): string {
  return key.length > NAME_CHARS_MAX ? `${key.slice(0, NAME_SHOWN_CHARS)}…` : key;
}

/** `['fields', 2, 'value']` as `fields[2].value`; the whole body is `body`. */
function pathOf(path: PropertyKey[]): string {
  let text = '';
  for (const step of path)
    text += typeof step === 'number' ? `[${step}]` : `${text === '' ? '' : '.'}${String(step)}`;
  return text === '' ? 'body' : text.slice(0, 200);
}
