import { z } from 'zod';

/** Any JSON of at most so many bytes that can be put into its canonical form (RFC 8785), and is the same there. */
export const jsonValue = (bytesMax: number) =>
  z.unknown().superRefine((value, context) => {
    const issue = value === undefined ? null : jsonValueIssue(value, bytesMax);
    if (issue !== null) context.addIssue({ code: 'custom', message: issue });
  });

/** The same, of an object. */
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
  return bytes > bytesMax ? `may have at most ${bytesMax} bytes as JSON` : canonicalIssue(value);
}

/** Why a value has no canonical form, or would be read back as another; null where it has. As deep as a body may be. */
function canonicalIssue(value: unknown): string | null {
  if (typeof value === 'string') return value.isWellFormed() ? null : 'holds half of a surrogate pair';
  if (typeof value === 'number') return Number.isFinite(value) ? null : 'holds a number beyond all bounds';
  if (typeof value !== 'object' || value === null) return null;
  for (const [key, inner] of Object.entries(value)) {
    const issue =
      key === '__proto__'
        ? 'may not name a property `__proto__`'
        : (canonicalIssue(key) ?? canonicalIssue(inner));
    if (issue !== null) return issue;
  }
  return null;
}
