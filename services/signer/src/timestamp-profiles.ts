import { secret } from '@scriptorium/shared/config';
import { z } from 'zod';

const OBJECT_IDENTIFIER = /^[0-2](\.(0|[1-9]\d{0,9})){1,30}$/;
const PROFILE_NAME = /^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/;

const url = z.string().refine((text) => {
  const parsed = URL.parse(text);
  return parsed !== null && /^https?:$/.test(parsed.protocol) && parsed.username + parsed.password === '';
}, 'must be an http or https URL without a user name');

/** How to request time-stamps from one authority (RFC 3161). */
export const timestampProfile = z
  .strictObject({
    url,
    hash: z.enum(['sha256', 'sha384', 'sha512']).default('sha256'),
    /** Object identifier of the requested policy; the time-stamp must then have the same one. */
    policy: z.string().regex(OBJECT_IDENTIFIER, 'must be an object identifier').optional(),
    /** For HTTP Basic; both or none. */
    username: z
      .string()
      .min(1)
      .regex(/^[^:]*$/, 'must not contain a colon')
      .optional(),
    password: secret().optional(),
  })
  .refine(({ username, password }) => (username === undefined) === (password === undefined), {
    error: 'must have both a username and a password, or neither',
  });
export type TimestampProfile = z.output<typeof timestampProfile>;

/** The operator's authorities: profile → how to request time-stamps. */
export const timestampProfiles = z.record(
  z.string().regex(PROFILE_NAME, 'must be a short name'),
  timestampProfile,
);
export type TimestampProfiles = z.output<typeof timestampProfiles>;

/** `timestampProfiles` as a setting, in JSON. Errors name the profile and the property, and contain no value. */
export const timestampProfilesSetting = () =>
  z.string().transform((text, context): TimestampProfiles => {
    const parsed = timestampProfiles.safeParse(jsonOf(text));
    if (parsed.success) return parsed.data;
    for (const { path, message } of parsed.error.issues)
      context.addIssue({ code: 'custom', message: `${path.join('.') || 'JSON'}: ${message}` });
    return z.NEVER;
  });

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
