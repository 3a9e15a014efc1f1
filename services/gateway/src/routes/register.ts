import { AppError, unavailable } from '@scriptorium/contracts/errors';
import type { Secret } from '@scriptorium/shared/config';
import { validate } from '@scriptorium/shared/http/validation';
import { newId } from '@scriptorium/shared/ids';
import type { BackgroundQueue } from '@scriptorium/shared/queue/background';
import { z } from 'zod';
import { emailAddress, hashForLimits, shortHash } from '../auth/address.ts';
import { type RegistrationRules, requireRegistration } from '../auth/registration.ts';
import type { Middleware } from '../http/context.ts';
import { networkOf, wideNetworkOf } from '../http/network.ts';
import type { Route } from '../http/route.ts';
import type { MailJob } from '../mail/mail-job.ts';
import type { MailRate } from '../mail/mail-rate-limit.ts';

const registerQuery = z.strictObject({ email: emailAddress });

/** Repeats the id of a registration, which binds the code to its asker. */
const REGISTRATION_HEADER = 'X-Registration-Id';

export interface RegisterParts {
  mails: BackgroundQueue<MailJob>;
  rateLimit: Middleware;
  mailRate: MailRate;
  pepper: Secret;
  rules: RegistrationRules;
}

export function registerRoute({ mails, rateLimit, mailRate, pepper, rules }: RegisterParts): Route {
  return {
    operationId: 'register',
    method: 'get',
    path: '/v1/auth/register',
    access: 'public',
    tag: 'Authentication',
    summary: 'Request a verification code by e-mail',
    description:
      'The answer does not reveal whether the address is known, or whether it has reached its limit of three mails per hour.',
    query: registerQuery,
    example: { summary: 'A code for an address', query: { email: 'you@example.com' } },
    hasSideEffects: true,
    success: [
      {
        description: 'A code is sent if the address is within its rate limit',
        contentType: 'application/json',
        schema: z.literal('Check your email for verification code.'),
        headers: {
          [REGISTRATION_HEADER]:
            'Id of the registration. With it as `registration`, the code can be redeemed from any network; without it only from the network of this request',
        },
      },
    ],
    errors: ['VALIDATION_ERROR', 'FORBIDDEN', 'RATE_LIMIT_EXCEEDED', 'OVERLOADED', 'UNAVAILABLE'],
    middleware: [rateLimit],
    async handle(request, response) {
      const { email } = validate(registerQuery, request.query, { within: 'query' });
      requireRegistration(rules, email);
      const ip = request.ip ?? '';
      const isOverShare = !(await mailRate
        .take(hashForLimits(email, pepper), wideNetworkOf(ip))
        .catch(unlessRefused('queue')));
      const registration = newId('reg');
      const network = shortHash('network', networkOf(ip), pepper);
      await mails
        .add({ kind: 'verification-code', address: email, registration, network, isOverShare })
        .catch(unavailable('queue'));
      response.setHeader(REGISTRATION_HEADER, registration).json('Check your email for verification code.');
    },
  };
}

/** Passes a refusal on, and makes any other failure UNAVAILABLE. */
const unlessRefused =
  (part: Parameters<typeof unavailable>[0]) =>
  (error: unknown): never => {
    if (error instanceof AppError) throw error;
    return unavailable(part)(error);
  };
