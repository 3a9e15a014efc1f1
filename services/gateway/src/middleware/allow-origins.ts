import cors from 'cors';
import type { RequestHandler } from 'express';

/** A browser repeats a permission that it asked for after this time. */
const PERMISSION_SECONDS = 7_200;

/**
 * Lets pages of other sites call a route, and read each header of its answers (Fetch standard, CORS). They send an API key, and
 * browsers never send cookies. An origin that is not in the list gets what it got without this.
 */
export function allowOrigins(allowed: readonly string[]): RequestHandler {
  const permit = cors({ origin: [...allowed], exposedHeaders: '*', maxAge: PERMISSION_SECONDS });
  return (request, response, next) => {
    response.vary('Origin');
    if (allowed.includes(request.headers.origin ?? '')) permit(request, response, next);
    else next();
  };
}
