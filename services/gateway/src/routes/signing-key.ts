import { type PublicSigningKey, publicSigningKey } from '@scriptorium/contracts/jobs/signing-key';
import type { Middleware } from '../http/context.ts';
import type { Route } from '../http/route.ts';

const CACHE_SECONDS = 300;

export interface SigningKeyRouteParts {
  readKey(): Promise<PublicSigningKey>;
  rateLimit: Middleware;
}

export function signingKeyRoute({ readKey, rateLimit }: SigningKeyRouteParts): Route {
  return {
    operationId: 'getSigningKey',
    method: 'get',
    path: '/v1/verify/key',
    access: 'public',
    tag: 'System',
    summary: 'The signing key of the service',
    description: 'To check a signature of this service, compare its certificate with this one.',
    success: [
      {
        description: 'The public key and its certificate',
        contentType: 'application/json',
        schema: publicSigningKey,
      },
    ],
    errors: ['RATE_LIMIT_EXCEEDED', 'OVERLOADED', 'UNAVAILABLE', 'DEADLINE_EXCEEDED'],
    middleware: [rateLimit],
    async handle(_request, response) {
      const key = await readKey();
      response.setHeader('Cache-Control', `public, max-age=${CACHE_SECONDS}`);
      response.json(key);
    },
  };
}
