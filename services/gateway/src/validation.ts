import { AppError, type ErrorDetail } from '@scriptorium/shared/errors';
import type { z } from 'zod';

export const DETAILS_MAX = 100;
const NAME_CHARS_MAX = 64;
const NAME_SHOWN_CHARS = 20;

/** Parses a part of the request. Throws VALIDATION_ERROR with a detail for every field at fault. */
export function validate<Schema extends z.ZodType>(schema: Schema, value: unknown): z.output<Schema> {
  const parsed = schema.safeParse(value, { error: describe });
  if (parsed.success) return parsed.data;
  throw invalid(parsed.error.issues.slice(0, DETAILS_MAX).flatMap(detailsOf).slice(0, DETAILS_MAX));
}

export function invalid(details: ErrorDetail[]): AppError {
  const fields = [...new Set(details.map((detail) => detail.field))];
  return new AppError('VALIDATION_ERROR', `The request breaks the contract at: ${fields.join(', ')}.`, {
    details,
  });
}

/** The texts of what every schema refuses alike; a schema's own text goes before these. */
function describe(issue: z.core.$ZodRawIssue): string | undefined {
  if (issue.code === 'unrecognized_keys') return 'is not a known property';
  const isWrongKind = issue.code === 'invalid_type' || issue.code === 'invalid_value';
  return isWrongKind && issue.input === undefined ? 'is required' : undefined;
}

function detailsOf(issue: z.core.$ZodIssue): ErrorDetail[] {
  const keys = issue.code === 'unrecognized_keys' ? issue.keys.map((key) => [shortName(key)]) : [[]];
  return keys.map((key) => ({ field: pathOf([...issue.path, ...key]), issue: issue.message }));
}

/** What is as long may be anything that went astray, a private key too. */
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
