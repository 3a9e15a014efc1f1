import { AppError } from '@scriptorium/shared/errors';
import type { KeyRing } from '../auth/key-ring.ts';
import type { Middleware } from '../context.ts';

const HEADER_LENGTH_MAX = 256;

/** `Bearer <key>` (RFC 6750 §2.1, scheme in any letter case); null for anything else. */
function bearerKey(header: string | undefined): string | null {
  if (header === undefined || header.length > HEADER_LENGTH_MAX) return null;
  const space = header.indexOf(' ');
  if (space < 0 || header.slice(0, space).toLowerCase() !== 'bearer') return null;
  return header.slice(space + 1).trim();
}

/** Gives the same answer for missing, malformed, unknown and revoked keys. */
export function authenticate(keys: KeyRing): Middleware {
  return async (request, response, next) => {
    const key = bearerKey(request.headers.authorization);
    const owner = key === null ? null : await keys.find(key);
    if (owner === null) {
      response.setHeader('WWW-Authenticate', 'Bearer');
      throw new AppError(
        'AUTHENTICATION_ERROR',
        'A valid API key is required: Authorization: Bearer <API_KEY>.',
      );
    }
    response.locals.owner = owner;
    next();
  };
}
