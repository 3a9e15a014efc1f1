import { AppError, unavailable } from '@scriptorium/contracts/errors';
import { validate } from '@scriptorium/shared/http/validation';
import { z } from 'zod';
import type { ApiKeyTable } from '../auth/api-keys.ts';
import { keyLimits } from '../auth/key-rights.ts';
import type { KeyRing } from '../auth/key-ring.ts';
import { ownerOf } from '../http/context.ts';
import type { Route } from '../http/route.ts';
import type { GatewayEvents } from '../monitoring/events.ts';

const keyParameters = z.strictObject({
  id: z.string().regex(/^key_[a-z2-7]{26}$/, 'must be the id of a key'),
});

const apiKey = z
  .strictObject({
    id: z.string(),
    last4: z.string().meta({ description: 'The last four characters of the key' }),
    createdAt: z.iso.datetime(),
    lastUsedOn: z.iso.date().nullable(),
    current: z.boolean().meta({ description: 'True for the key of this request' }),
    scopes: z
      .array(z.string())
      .nullable()
      .meta({ description: 'The operations that the key may use, by their `operationId`; null for all' }),
    expiresAt: z.iso.datetime().nullable().meta({ description: 'When the key ends; null for never' }),
    limits: z
      .strictObject(keyLimits.shape)
      .meta({ description: 'Limits of this key in place of those that `/v1/limits` lists' }),
  })
  .meta({ id: 'ApiKey' });

const keyList = z.strictObject({ keys: z.array(apiKey) }).meta({ id: 'ApiKeys' });

export interface KeysParts {
  table: ApiKeyTable;
  keys: KeyRing;
  events: GatewayEvents;
}

/** Routes that list and revoke the active keys of the address that owns the key of the request. */
export function keyRoutes({ table, keys, events }: KeysParts): Route[] {
  return [
    {
      operationId: 'listKeys',
      method: 'get',
      path: '/v1/auth/keys',
      access: 'key',
      tag: 'Authentication',
      summary: 'List the active API keys of your address',
      success: [
        {
          description: 'The keys, without their secrets',
          contentType: 'application/json',
          schema: keyList,
        },
      ],
      errors: [],
      async handle(_request, response) {
        const owner = ownerOf(response);
        const rows = await table.list(owner.ownerHash).catch(unavailable('key store'));
        response.setHeader('Cache-Control', 'no-store');
        response.json({
          keys: rows.map(({ createdAt, expiresAt, ...key }) => ({
            ...key,
            createdAt: createdAt.toISOString(),
            expiresAt: expiresAt?.toISOString() ?? null,
            current: key.id === owner.id,
          })),
        });
      },
    },
    {
      operationId: 'revokeKey',
      method: 'delete',
      path: '/v1/auth/keys/:id',
      access: 'key',
      tag: 'Authentication',
      summary: 'Revoke an API key of your address',
      description:
        'Takes effect immediately on the gateway that answers, and within 30 seconds on all others.',
      parameters: keyParameters,
      example: { summary: 'An id of the list', parameters: { id: 'key_aaaaaaaaaaaaaaaaaaaaaaaaaa' } },
      success: [],
      errors: ['VALIDATION_ERROR', 'NOT_FOUND'],
      async handle(request, response) {
        const { id } = validate(keyParameters, request.params);
        const revoked = await table.revoke(ownerOf(response).ownerHash, id).catch(unavailable('key store'));
        if (!revoked) throw new AppError('NOT_FOUND', 'Your address has no active key with this id.');
        keys.forget(id);
        events.keyRevoked(id, response.locals.requestId);
        response.status(204).end();
      },
    },
  ];
}
