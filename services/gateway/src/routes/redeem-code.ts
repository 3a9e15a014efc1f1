import { AppError, unavailable } from '@scriptorium/contracts/errors';
import type { Secret } from '@scriptorium/shared/config';
import { invalid, validate } from '@scriptorium/shared/http/validation';
import type { BackgroundQueue } from '@scriptorium/shared/queue/background';
import type { Request } from 'express';
import { z } from 'zod';
import { emailAddress, foldAddress, hashAddress, peppersOf, shortHash } from '../auth/address.ts';
import { hashApiKey, newApiKey } from '../auth/api-key.ts';
import { type ApiKeyTable, KEYS_PER_OWNER_MAX } from '../auth/api-keys.ts';
import type { ClaimedCode, CodeBook } from '../auth/codes.ts';
import { type RegistrationRules, requireRegistration } from '../auth/registration.ts';
import type { Middleware, Reply } from '../http/context.ts';
import { networkOf } from '../http/network.ts';
import type { Route } from '../http/route.ts';
import type { MailJob } from '../mail/mail-job.ts';
import type { ByteBudget } from '../middleware/byte-budget.ts';
import { BODY_BOUNDS } from '../middleware/json-bounds.ts';
import { receiveJson } from '../middleware/receive-json.ts';
import type { GatewayEvents } from '../monitoring/events.ts';

const BODY_BYTES_MAX = 4_096;
const JSON_TYPE = 'application/json';
const TEXT_TYPE = 'text/plain';
const EXAMPLE = { email: 'you@example.com', code: '123456' };

const claim = z.strictObject({
  email: emailAddress,
  code: z
    .string()
    .regex(/^\d{6}$/, 'must be six digits')
    .meta({ description: 'The code from the mail', examples: ['123456'] }),
  registration: z
    .string()
    .regex(/^reg_[a-z2-7]{26}$/, 'must be the `X-Registration-Id` of the answer to the registration')
    .optional()
    .meta({ description: 'The `X-Registration-Id` of the registration. Required from another network' }),
});

export interface RedeemCodeParts {
  /** With the current pepper first. */
  books: readonly { codes: CodeBook; pepper: Secret }[];
  table: ApiKeyTable;
  mails: BackgroundQueue<MailJob>;
  pepper: Secret;
  rules: RegistrationRules;
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
        contentType: JSON_TYPE,
        schema: z.string().meta({ examples: [`${parts.prefix}…`] }),
        headers: { Vary: '`Accept`' },
      },
      { description: 'With `Accept: text/plain`, the key without quotes', contentType: TEXT_TYPE },
    ],
    errors: ['VALIDATION_ERROR', 'FORBIDDEN', 'EMAIL_CODE_INVALID', 'RATE_LIMIT_EXCEEDED', 'UNAVAILABLE'],
  } as const satisfies Partial<Route>;
  return [
    {
      ...shared,
      errors: [...shared.errors],
      operationId: 'verifyCodeInUrl',
      method: 'get',
      summary: 'Redeem a verification code for an API key',
      query: claim,
      example: { summary: 'The code of a mail', query: EXAMPLE },
      middleware: [parts.rateLimit],
      handle: (request, response) =>
        issueKey(parts, validate(claim, request.query, { within: 'query' }), request, response),
    },
    {
      ...shared,
      errors: [...shared.errors, 'PAYLOAD_TOO_LARGE', 'UNSUPPORTED_MEDIA_TYPE'],
      operationId: 'verifyCode',
      method: 'post',
      summary: 'Redeem a verification code for an API key, without secrets in the URL',
      body: { json: claim },
      example: { summary: 'The code of a mail', body: () => EXAMPLE },
      middleware: [parts.rateLimit, receiveJson(BODY_BYTES_MAX, parts.budget, BODY_BOUNDS)],
      handle: (request: Request, response) =>
        issueKey(parts, validate(claim, request.body), request, response),
    },
  ];
}

async function issueKey(
  parts: RedeemCodeParts,
  { email, code, registration }: z.output<typeof claim>,
  request: Request,
  response: Reply,
) {
  const { table, mails, events, pepper } = parts;
  requireRegistration(parts.rules, email);
  const ownerHash = hashAddress(email, pepper);
  const claimed = await claimCode(parts, email, code, registration, request);
  if (claimed === null) {
    const network = shortHash('network', networkOf(request.ip ?? ''), pepper);
    const mailbox = shortHash('mailbox', foldAddress(email), pepper);
    events.codeRefused(response.locals.requestId, { mailbox, network });
    throw new AppError('EMAIL_CODE_INVALID', 'The code is wrong, used or expired.');
  }
  const key = newApiKey(parts.prefix);
  const last4 = key.slice(-4);
  const store = async () => {
    for (const former of peppersOf(pepper).slice(1))
      await table.rename(hashAddress(email, former), ownerHash);
    return table.insert({ keyHash: hashApiKey(key), ownerHash, last4 });
  };
  const stored = await store().catch(async (cause) => {
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
  response.vary('Accept');
  if (request.accepts([JSON_TYPE, TEXT_TYPE]) === TEXT_TYPE) response.type(TEXT_TYPE).send(key);
  else response.json(key);
}

/** Claims a code that was mailed with the current pepper or the one before it. */
async function claimCode(
  { books }: RedeemCodeParts,
  email: string,
  code: string,
  registration: string | undefined,
  { ip = '' }: Request,
): Promise<ClaimedCode | null> {
  for (const { codes, pepper } of books) {
    const network = shortHash('network', networkOf(ip), pepper);
    const asker = { network, ...(registration !== undefined && { registration }) };
    const claimed = await codes.claim(hashAddress(email, pepper), code, asker).catch(unavailable('queue'));
    if (claimed !== null) return claimed;
  }
  return null;
}
