import { commonSettings, integer, internalSettings, secret, secretUrl } from '@scriptorium/shared/config';
import { fetchSettings } from '@scriptorium/shared/fetch/settings';
import { sealingSettings, verifierSealingSettings } from '@scriptorium/shared/secrets/settings';
import { TRACE_CALLERS, tracingSettings } from '@scriptorium/shared/tracing/settings';
import { z } from 'zod';
import { limitSettings } from './limits.ts';

/** With the default deadline, this is still within the time that a process has to close. */
const DRAIN_MS_MAX = 15_000;

const settings = z.object({
  ...commonSettings,
  ...internalSettings(9464),
  HOST: z.string().default('127.0.0.1').describe('Address to listen on'),
  PORT: integer(0, 65_535).default(8080).describe('Port to listen on. 0 picks a free port'),
  DATABASE_URL: secretUrl(['postgres:', 'postgresql:']).describe(
    'PostgreSQL for API keys and usage: `postgres://…`',
  ),
  SMTP_URL: secretUrl(['smtp:', 'smtps:']).describe(
    'Mail server: `smtp://[user:password@]host:port` or `smtps://…`',
  ),
  MAIL_FROM: z.string().default('Scriptorium <no-reply@localhost>').describe('Sender of the mails'),
  CODE_PEPPER: secret(32).describe(
    'Secret for hashing e-mail codes and addresses. It must be the same on every gateway',
  ),
  API_KEY_PREFIX: z
    .string()
    .regex(/^[a-z][a-z0-9_]{0,14}_$/, 'must have the form scr_')
    .default('scr_')
    .describe('Prefix of issued API keys'),
  TRUST_PROXY_HOPS: integer(0, 16)
    .default(0)
    .describe('Number of trusted proxies in front, for `X-Forwarded-For`'),
  PUBLIC_URL: z.url().optional().describe('Base URL shown on the pages. By default the URL of the request'),
  DRAIN_MS: integer(0, DRAIN_MS_MAX)
    .default(5_000)
    .describe(
      'Time from the stop signal until the gateway stops listening, ms. During this time `/readyz` returns 503, so that load balancers stop sending requests',
    ),
  DEPLOYMENT: z.string().max(100).optional().describe('Name of the deployment in `/v1/health`'),
  ...limitSettings,
  ...fetchSettings,
  ...sealingSettings,
  ...verifierSealingSettings,
  ...tracingSettings,
  TRACE_CALLERS: z
    .enum(TRACE_CALLERS)
    .default('link')
    .describe(
      'How the gateway handles the `traceparent` of a caller. `link`: start a new trace with a link to it. `continue`: join it and follow its sampling decision; use this only if all callers are trusted. `ignore`: do not use it',
    ),
});

/** With one secret for both, a verifier could open the keys of callers. */
export const gatewaySettings = settings.refine(
  ({ SIGNER_SECRET: signer, VERIFIER_SECRET: verifier }) =>
    signer === undefined || signer.reveal() !== verifier?.reveal(),
  { path: ['VERIFIER_SECRET'], error: 'must differ from SIGNER_SECRET' },
);

export type GatewayConfig = z.output<typeof gatewaySettings>;
