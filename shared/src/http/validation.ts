import { AppError, type ErrorDetail } from '@scriptorium/contracts/errors';
import { issueWords } from '@scriptorium/contracts/issue-words';
import type { z } from 'zod';

export const DETAILS_MAX = 100;
const NAME_CHARS_MAX = 64;
const NAME_SHOWN_CHARS = 20;

type Describe = (issue: z.core.$ZodRawIssue) => string | undefined;

export interface ValidationOptions {
  /** Returns the text of an issue without one from the schema or `validate`. Returns undefined for the usual text. */
  describe?: Describe;
  detailsMax?: number;
  /** What the paths begin with, such as `query`. */
  within?: string;
}

/** Parses a part of the request. Throws VALIDATION_ERROR with a detail for every invalid field. */
export function validate<Schema extends z.ZodType>(
  schema: Schema,
  value: unknown,
  { describe, detailsMax = DETAILS_MAX, within }: ValidationOptions = {},
): z.output<Schema> {
  const parsed = schema.safeParse(value, {
    error: (issue) => {
      if (within === 'query' && Array.isArray(issue.input)) return 'is given more than once';
      return textOf(issue) ?? describe?.(issue) ?? issueWords(issue);
    },
  });
  if (parsed.success) return parsed.data;
  throw invalid(
    parsed.error.issues
      .slice(0, detailsMax)
      .flatMap((issue) => detailsOf(issue, within))
      .slice(0, detailsMax),
  );
}

/** Makes a VALIDATION_ERROR whose message lists the invalid fields. */
export function invalid(details: ErrorDetail[]): AppError {
  const fields = [...new Set(details.map((detail) => detail.field))];
  return new AppError('VALIDATION_ERROR', `Invalid request: ${fields.join(', ')}.`, { details });
}

/** Texts of issues that all schemas have in common. The text of a schema takes precedence. */
const textOf: Describe = (issue) => {
  if (issue.code === 'unrecognized_keys') return 'is not a known property';
  const isWrongType = issue.code === 'invalid_type' || issue.code === 'invalid_value';
  return isWrongType && issue.input === undefined ? 'is required' : undefined;
};

function detailsOf(issue: z.core.$ZodIssue, within: string | undefined): ErrorDetail[] {
  const start = within === undefined ? [] : [within];
  const keys = issue.code === 'unrecognized_keys' ? issue.keys.map((key) => [shortName(key)]) : [[]];
  return keys.map((key) => ({ field: pathOf([...start, ...issue.path, ...key]), issue: issue.message }));
}

/** Truncates long names, which may be misplaced secrets. */
function shortName(key: string): string {
  return key.length > NAME_CHARS_MAX ? `${key.slice(0, NAME_SHOWN_CHARS)}…` : key;
}

/** Formats `['fields', 2, 'value']` as `fields[2].value`, and the whole body as `body`. */
function pathOf(path: PropertyKey[]): string {
  let text = '';
  for (const step of path)
    text += typeof step === 'number' ? `[${step}]` : `${text === '' ? '' : '.'}${String(step)}`;
  return text === '' ? 'body' : text.slice(0, 200);
}
