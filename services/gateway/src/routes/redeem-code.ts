import type { Secret } from '@scriptorium/shared/config';
import { AppError, unavailable } from '@scriptorium/shared/errors';
import { invalid, validate } from '@scriptorium/shared/http/validation';
import type { BackgroundQueue } from '@scriptorium/shared/queue/background';
import type { Request } from 'express';
import { z } from 'zod';
import { emailAddress, hashAddress } from '../auth/address.ts';
import { hashApiKey, newApiKey } from '../auth/api-key.ts';
import { type ApiKeyTable, KEYS_PER_OWNER_MAX } from '../auth/api-keys.ts';
import type { CodeBook } from '../auth/codes.ts';
import type { Middleware, Reply } from '../context.ts';
import type { GatewayEvents } from '../events.ts';
import type { MailJob } from '../mail/mail-job.ts';
import type { ByteBudget } from '../middleware/byte-budget.ts';
import { BODY_BOUNDS } from '../middleware/json-bounds.ts';
import { receiveJson } from '../middleware/receive-json.ts';
import type { Route } from '../route.ts';

const BODY_BYTES_MAX = 4_096;

const claim = z.strictObject({
  email: emailAddress,
  code: z
    .string()
    .regex(/^\d{6}$/, 'must be six digits')
    .meta({ description: 'The code from the mail', examples: ['123456'] }),
});

export interface RedeemCodeParts {
  codes: CodeBook;
  table: ApiKeyTable;
  mails: BackgroundQueue<MailJob>;
  pepper: Secret;
  prefix: string;
  rateLimit: Middleware;
  budget: ByteBudget;
  events: GatewayEvents;
}

/** Routes that redeem a code for an API key: GET as specified, and POST, which keeps the code out of logs. */
export function redeemCodeRoutes(parts: RedeemCodeParts): Route[] {
  const shared = {
    path: '/v1/auth/verify',
    access: 'public',
    tag: 'Authentication',
    hasSideEffects: true,
    success: [
      {
        description: 'The API key. It is shown only once',
        contentType: 'application/json',
        schema: z.string().meta({ examples: [`${parts.prefix}…`] }),
      },
    ],
    errors: ['VALIDATION_ERROR', 'EMAIL_CODE_INVALID', 'RATE_LIMIT_EXCEEDED', 'UNAVAILABLE'],
  } as const satisfies Partial<Route>;
  return [
    {
      ...shared,
      errors: [...shared.errors],
      method: 'get',
      summary: 'Redeem a verification code for an API key',
      query: claim,
      middleware: [parts.rateLimit],
      handle: (request, response) =>
        issueKey(parts, validate(claim, request.query, { within: 'query' }), response),
    },
    {
      ...shared,
      errors: [...shared.errors, 'PAYLOAD_TOO_LARGE', 'UNSUPPORTED_MEDIA_TYPE'],
      method: 'post',
      summary: 'Redeem a verification code for an API key, without secrets in the URL',
      body: { json: claim },
      middleware: [parts.rateLimit, receiveJson(BODY_BYTES_MAX, parts.budget, BODY_BOUNDS)],
      handle: (request: Request, response) => issueKey(parts, validate(claim, request.body), response),
    },
  ];
}

async function issueKey(parts: RedeemCodeParts, { email, code }: z.output<typeof claim>, response: Reply) {
  const { codes, table, mails, events } = parts;
  const ownerHash = hashAddress(email, parts.pepper);
  const claimed = await codes.claim(ownerHash, code).catch(unavailable('queue'));
  if (claimed === null) {
    events.codeRefused(response.locals.requestId);
    throw new AppError('EMAIL_CODE_INVALID', 'The code is wrong, used or expired.');
  }
  const key = newApiKey(parts.prefix);
  const last4 = key.slice(-4);
  const stored = await table.insert({ keyHash: hashApiKey(key), ownerHash, last4 }).catch(async (cause) => {
    await claimed.restore();
    return unavailable('key store')(cause);
  });
  if (stored === null) {
    await claimed.restore();
    throw invalid([
      { field: 'email', issue: `already has ${KEYS_PER_OWNER_MAX} active keys; revoke one first` },
    ]);
  }
  events.keyIssued(stored.id, response.locals.requestId);
  // The key exists and must be returned even if the notice cannot be queued.
  await mails.add({ kind: 'key-issued', address: email, keyId: stored.id, last4 }).catch(events.queueError);
  response.json(key);
}
