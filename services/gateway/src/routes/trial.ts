import { AppError } from '@scriptorium/contracts/errors';
import { z } from 'zod';
import { TRIAL_DOCUMENT_BYTES_MAX, TRIAL_OPERATIONS, type TrialKeys } from '../auth/trial-keys.ts';
import type { Middleware } from '../http/context.ts';
import { networkOf } from '../http/network.ts';
import type { Route } from '../http/route.ts';
import type { GatewayEvents } from '../monitoring/events.ts';
import type { GatewayConfig } from '../settings/config.ts';

const trialKey = z
  .strictObject({
    key: z.string().meta({ description: 'The API key. It is shown only once' }),
    expiresAt: z.iso.datetime(),
    operations: z.int().meta({ description: 'The documents that it makes, signs or verifies' }),
    documentBytesMax: z.int().meta({ description: 'Maximum size of a document' }),
  })
  .meta({ id: 'TrialKey' });

export interface TrialParts {
  trials: TrialKeys;
  rateLimit: Middleware;
  setting: GatewayConfig['TRIAL'];
  events: Pick<GatewayEvents, 'trialKeyIssued'>;
}

/** The route that gives keys for trials, if the operator has enabled them. */
export function trialRoute({ trials, rateLimit, setting, events }: TrialParts): Route {
  return {
    operationId: 'createTrialKey',
    method: 'post',
    path: '/v1/auth/trial',
    // A page of another site must not use up the keys of its visitors' networks.
    hasSideEffects: true,
    access: 'public',
    tag: 'Authentication',
    summary: 'Get a key for a trial, without an e-mail address',
    description: `Valid for 30 minutes and ${TRIAL_OPERATIONS} documents, one at a time. It signs with a development key only, and fetches no URLs.`,
    success: [{ description: 'The key', contentType: 'application/json', schema: trialKey }],
    errors: ['FORBIDDEN', 'RATE_LIMIT_EXCEEDED', 'UNAVAILABLE'],
    middleware: [requireTrials(setting), rateLimit],
    async handle(request, response) {
      const { key, id, expiresAt } = await trials.issue(networkOf(request.ip ?? ''));
      events.trialKeyIssued(id, response.locals.requestId);
      response.json({
        key,
        expiresAt: expiresAt.toISOString(),
        operations: TRIAL_OPERATIONS,
        documentBytesMax: TRIAL_DOCUMENT_BYTES_MAX,
      });
    },
  };
}

/** Before the rate limit, so that a service without trials counts nothing. */
const requireTrials =
  (setting: GatewayConfig['TRIAL']): Middleware =>
  (_request, _response, next) => {
    if (setting === 'off') throw new AppError('FORBIDDEN', 'This service issues no keys for trials.');
    next();
  };
