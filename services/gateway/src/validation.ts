import { AppError, type ErrorDetail } from '@scriptorium/shared/errors';
import type { z } from 'zod';

const DETAILS_MAX = 100;

/** Parses a part of the request. Throws VALIDATION_ERROR with a detail for every field at fault. */
export function validate<Schema extends z.ZodType>(schema: Schema, value: unknown): z.output<Schema> {
  const parsed = schema.safeParse(value);
  if (parsed.success) return parsed.data;
  throw invalid(parsed.error.issues.flatMap(detailsOf).slice(0, DETAILS_MAX));
}

export function invalid(details: ErrorDetail[]): AppError {
  const fields = [...new Set(details.map((detail) => detail.field))];
  return new AppError('VALIDATION_ERROR', `The request breaks the contract at: ${fields.join(', ')}.`, {
    details,
  });
}

function detailsOf(issue: z.core.$ZodIssue): ErrorDetail[] {
  if (issue.code === 'unrecognized_keys')
    return issue.keys.map((key) => ({
      field: pathOf([...issue.path, key]),
      issue: 'is not a known property',
    }));
  if (issue.code === 'invalid_type' && issue.input === undefined)
    return [{ field: pathOf(issue.path), issue: 'is required' }];
  return [{ field: pathOf(issue.path), issue: issue.message }];
}

/** `['fields', 2, 'value']` as `fields[2].value`; the whole body is `body`. */
function pathOf(path: PropertyKey[]): string {
  let text = '';
  for (const step of path)
    text += typeof step === 'number' ? `[${step}]` : `${text === '' ? '' : '.'}${String(step)}`;
  return text === '' ? 'body' : text.slice(0, 200);
}
