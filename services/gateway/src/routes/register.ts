import { unavailable } from '@scriptorium/shared/errors';
import { validate } from '@scriptorium/shared/http/validation';
import type { MailJob } from '@scriptorium/shared/jobs/mail';
import type { BackgroundQueue } from '@scriptorium/shared/queue/background';
import { z } from 'zod';
import { emailAddress } from '../auth/address.ts';
import type { Middleware } from '../context.ts';
import type { Route } from '../route.ts';

const registerQuery = z.strictObject({ email: emailAddress });

export interface RegisterParts {
  mails: BackgroundQueue<MailJob>;
  rateLimit: Middleware;
  /** Counts a mail to the address; returns whether it is within the rate limit. */
  takeMailRate(address: string): Promise<boolean>;
}

export function registerRoute({ mails, rateLimit, takeMailRate }: RegisterParts): Route {
  return {
    method: 'get',
    path: '/v1/auth/register',
    access: 'public',
    tag: 'Authentication',
    summary: 'Ask for a verification code by e-mail',
    description:
      'The answer is the same whether or not the address is known, and whether or not it has had its three mails of this hour.',
    query: registerQuery,
    hasSideEffects: true,
    success: [
      {
        description: 'A code is on its way, if the address may be sent one',
        contentType: 'application/json',
        schema: z.literal('Check your email for verification code.'),
      },
    ],
    errors: ['VALIDATION_ERROR', 'RATE_LIMIT_EXCEEDED', 'UNAVAILABLE'],
    middleware: [rateLimit],
    async handle(request, response) {
      const { email } = validate(registerQuery, request.query);
      const isOverShare = !(await takeMailRate(email).catch(unavailable('queue')));
      await mails.add({ kind: 'verification-code', address: email, isOverShare }).catch(unavailable('queue'));
      response.json('Check your email for verification code.');
    },
  };
}
