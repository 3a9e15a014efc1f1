import { z } from 'zod';

/** Any JSON value of at most `bytesMax` bytes that its canonical form (RFC 8785) preserves. */
export const jsonValue = (bytesMax: number) =>
  z.unknown().superRefine((value, context) => {
    const issue = value === undefined ? null : jsonValueIssue(value, bytesMax);
    if (issue !== null) context.addIssue({ code: 'custom', message: issue });
  });

/** The same for objects. */
export const jsonObject = (bytesMax: number) =>
  z
    .custom<Record<string, unknown>>(
      (value) => typeof value === 'object' && value !== null && !Array.isArray(value),
      'must be an object',
    )
    .superRefine((value, context) => {
      const issue = jsonValueIssue(value, bytesMax);
      if (issue !== null) context.addIssue({ code: 'custom', message: issue });
    })
    .meta({ type: 'object', additionalProperties: true });

function jsonValueIssue(value: unknown, bytesMax: number): string | null {
  const bytes = Buffer.byteLength(JSON.stringify(value));
  return bytes > bytesMax ? `must have at most ${bytesMax} bytes of JSON` : canonicalIssue(value);
}

/** Returns why the canonical form does not preserve a value, or null. The recursion is bounded by the depth of a body. */
function canonicalIssue(value: unknown): string | null {
  if (typeof value === 'string') return value.isWellFormed() ? null : 'has an unpaired surrogate';
  if (typeof value === 'number') return Number.isFinite(value) ? null : 'has a number out of range';
  if (typeof value !== 'object' || value === null) return null;
  for (const [key, inner] of Object.entries(value)) {
    const issue =
      key === '__proto__'
        ? 'must not have a property `__proto__`'
        : (canonicalIssue(key) ?? canonicalIssue(inner));
    if (issue !== null) return issue;
  }
  return null;
}
