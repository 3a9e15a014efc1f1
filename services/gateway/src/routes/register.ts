import { unavailable } from '@scriptorium/shared/errors';
import { validate } from '@scriptorium/shared/http/validation';
import type { BackgroundQueue } from '@scriptorium/shared/queue/background';
import { z } from 'zod';
import { emailAddress } from '../auth/address.ts';
import type { Middleware } from '../context.ts';
import type { MailJob } from '../mail/mail-job.ts';
import type { Route } from '../route.ts';

const registerQuery = z.strictObject({ email: emailAddress });

export interface RegisterParts {
  mails: BackgroundQueue<MailJob>;
  rateLimit: Middleware;
  /** Counts a mail to the address and returns whether it is within the rate limit. */
  takeMailRate(address: string): Promise<boolean>;
}

export function registerRoute({ mails, rateLimit, takeMailRate }: RegisterParts): Route {
  return {
    method: 'get',
    path: '/v1/auth/register',
    access: 'public',
    tag: 'Authentication',
    summary: 'Request a verification code by e-mail',
    description:
      'The answer does not reveal whether the address is known, or whether it has reached its limit of three mails per hour.',
    query: registerQuery,
    hasSideEffects: true,
    success: [
      {
        description: 'A code is sent if the address is within its rate limit',
        contentType: 'application/json',
        schema: z.literal('Check your email for verification code.'),
      },
    ],
    errors: ['VALIDATION_ERROR', 'RATE_LIMIT_EXCEEDED', 'UNAVAILABLE'],
    middleware: [rateLimit],
    async handle(request, response) {
      const { email } = validate(registerQuery, request.query, { within: 'query' });
      const isOverShare = !(await takeMailRate(email).catch(unavailable('queue')));
      await mails.add({ kind: 'verification-code', address: email, isOverShare }).catch(unavailable('queue'));
      response.json('Check your email for verification code.');
    },
  };
}
