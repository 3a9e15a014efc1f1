import { AppError } from '@scriptorium/contracts/errors';
import { maySignAsService } from '../auth/key-rights.ts';
import type { KeyRing } from '../auth/key-ring.ts';
import type { Middleware } from '../http/context.ts';
import type { GatewayConfig } from '../settings/config.ts';

const HEADER_LENGTH_MAX = 256;

const REQUIRED = 'A valid API key is required: Authorization: Bearer <API_KEY>.';
/** `GET /v1/auth/verify` answers a JSON string, with quotes. */
const QUOTED = /^["']|["']$/;
const IN_QUOTES = 'The API key is in quotes: send it without them, as Authorization: Bearer <API_KEY>.';

/** `Bearer <key>` (RFC 6750 §2.1, scheme in any letter case); null for anything else. */
function bearerKey(header: string | undefined): string | null {
  if (header === undefined || header.length > HEADER_LENGTH_MAX) return null;
  const space = header.indexOf(' ');
  if (space < 0 || header.slice(0, space).toLowerCase() !== 'bearer') return null;
  return header.slice(space + 1).trim();
}

/** Gives the same answer for missing, malformed, unknown and revoked keys, but for a key in quotes: the answer names them. */
export function authenticate(
  keys: KeyRing,
  refused: (requestId: string, address: string) => void,
  serviceKeyFor: GatewayConfig['SERVICE_KEY_FOR'],
): Middleware {
  return async (request, response, next) => {
    const key = bearerKey(request.headers.authorization);
    const owner = key === null ? null : await keys.find(key);
    if (owner === null) {
      refused(response.locals.requestId, request.ip ?? '');
      response.setHeader('WWW-Authenticate', 'Bearer');
      throw new AppError('AUTHENTICATION_ERROR', key !== null && QUOTED.test(key) ? IN_QUOTES : REQUIRED);
    }
    const { expiresAt } = owner.rights;
    if (expiresAt !== null && expiresAt.getTime() <= Date.now()) {
      refused(response.locals.requestId, request.ip ?? '');
      response.setHeader('WWW-Authenticate', 'Bearer');
      throw new AppError('AUTHENTICATION_ERROR', `The API key expired at ${expiresAt.toISOString()}.`);
    }
    response.locals.owner = owner;
    response.locals.maySignAsService = maySignAsService(owner.rights, serviceKeyFor);
    next();
  };
}
