import { ERRORS } from '@scriptorium/contracts/errors';
import { z } from 'zod';
import { TRIAL_DOCUMENT_BYTES_MAX, TRIAL_OPERATIONS } from '../auth/trial-keys.ts';
import type { Route } from '../http/route.ts';
import type { GatewayConfig } from '../settings/config.ts';

export type PlaygroundSettings = Pick<GatewayConfig, 'TRIAL' | 'REGISTRATION' | 'MAILBOX_URL'>;

const settings = z.object({
  version: z.string(),
  trial: z.object({ documentBytesMax: z.int(), operations: z.int() }).nullable(),
  registration: z.boolean(),
  mailboxUrl: z.string().nullable(),
  remedies: z.record(z.string(), z.string()),
});

/** What the page `/try` must know of this service, beside `/v1/limits`. */
export function playgroundRoute(version: string, config: PlaygroundSettings): Route {
  const remedies = Object.fromEntries(Object.entries(ERRORS).map(([code, { remedy }]) => [code, remedy]));
  return {
    method: 'get',
    access: 'public',
    tag: 'System',
    isUntraced: true,
    path: '/try/settings.json',
    summary: 'Settings of the page `/try`',
    success: [{ description: 'The settings', contentType: 'application/json', schema: settings }],
    errors: [],
    handle(_request, response) {
      response.setHeader('Cache-Control', 'no-cache');
      response.json({
        version,
        trial:
          config.TRIAL === 'on'
            ? { documentBytesMax: TRIAL_DOCUMENT_BYTES_MAX, operations: TRIAL_OPERATIONS }
            : null,
        registration: config.REGISTRATION !== 'closed',
        mailboxUrl: config.MAILBOX_URL ?? null,
        remedies,
      });
    },
  };
}
