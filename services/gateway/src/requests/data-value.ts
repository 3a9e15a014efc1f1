import type { ErrorDetail } from '@scriptorium/contracts/errors';
import { type imagesOfData, valueIssues } from '@scriptorium/docx-generate/values';
import { DETAILS_MAX, invalid } from '@scriptorium/shared/http/validation';
import { z } from 'zod';

const PATH_CHARS_MAX = 200;

/** Any JSON value. */
export type Data = Parameters<typeof imagesOfData>[0];

/** The data of a template: an object or an array. `checkData` checks what is in it. */
export const dataValue = z
  .custom<Data>((value) => typeof value === 'object' && value !== null, 'must be an object or an array')
  .meta({ type: ['object', 'array'] });

/** Throws VALIDATION_ERROR for numbers and texts that JSON cannot carry on, and for wrong images, links and the like. */
export function checkData(data: Data): void {
  const issues: ErrorDetail[] = [];
  addIssues(data, 'data', issues);
  if (issues.length === 0) issues.push(...valueIssues(data));
  if (issues.length > 0) throw invalid(issues.map(short));
}

/** Paths may be as long as the data. */
function short({ field, issue }: ErrorDetail): ErrorDetail {
  return { field: field.slice(0, PATH_CHARS_MAX).toWellFormed(), issue };
}

/** The depth of the recursion is bounded by that of a body. */
function addIssues(value: Data, path: string, issues: ErrorDetail[]): void {
  if (issues.length >= DETAILS_MAX) return;
  if (typeof value === 'string') {
    if (!value.isWellFormed()) issues.push({ field: path, issue: 'has an unpaired surrogate' });
  } else if (typeof value === 'number') {
    if (!Number.isFinite(value)) issues.push({ field: path, issue: 'is a number out of range' });
  } else if (Array.isArray(value)) {
    for (const [index, item] of value.entries())
      if (mayHaveIssues(item)) addIssues(item, `${path}[${index}]`, issues);
  } else if (value !== null && typeof value === 'object') {
    for (const [key, item] of Object.entries(value)) {
      if (!key.isWellFormed()) issues.push({ field: path, issue: 'has a key with an unpaired surrogate' });
      if (mayHaveIssues(item)) addIssues(item, `${path}.${key}`, issues);
    }
  }
}

/** Paths are long, and most values need none. */
function mayHaveIssues(value: Data): boolean {
  if (typeof value === 'string') return !value.isWellFormed();
  if (typeof value === 'number') return !Number.isFinite(value);
  return typeof value === 'object' && value !== null;
}
