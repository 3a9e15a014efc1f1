import { commonSettings, integer, internalSettings, secret, secretUrl } from '@scriptorium/shared/config';
import { fetchSettings } from '@scriptorium/shared/fetch/settings';
import { limitSettings } from '@scriptorium/shared/limits';
import { sealingSettings } from '@scriptorium/shared/secrets/settings';
import { TRACE_CALLERS, tracingSettings } from '@scriptorium/shared/tracing/settings';
import { z } from 'zod';

/** With the usual deadline, still within the time that a process has to close. */
const DRAIN_MS_MAX = 15_000;

export const gatewaySettings = z.object({
  ...commonSettings,
  ...internalSettings(9464),
  HOST: z.string().default('127.0.0.1').describe('Address to listen on'),
  PORT: integer(0, 65_535).default(8080).describe('Port to listen on; 0 takes a free one'),
  DATABASE_URL: secretUrl(['postgres:', 'postgresql:']).describe(
    'PostgreSQL that keeps the API keys and the usage: `postgres://…`',
  ),
  SMTP_URL: secretUrl(['smtp:', 'smtps:']).describe(
    'Mail server: `smtp://[user:password@]host:port` or `smtps://…`',
  ),
  MAIL_FROM: z.string().default('Scriptorium <no-reply@localhost>').describe('Sender of the mails'),
  CODE_PEPPER: secret(32).describe(
    'Secret that e-mail codes and addresses are hashed with; the same on every gateway',
  ),
  API_KEY_PREFIX: z
    .string()
    .regex(/^[a-z][a-z0-9_]{0,14}_$/, 'must be like scr_')
    .default('scr_')
    .describe('Prefix of issued API keys'),
  TRUST_PROXY_HOPS: integer(0, 16)
    .default(0)
    .describe('Proxies in front whose `X-Forwarded-For` is believed'),
  PUBLIC_URL: z
    .url()
    .optional()
    .describe('Address that the pages show to users; by default the request’s own'),
  DRAIN_MS: integer(0, DRAIN_MS_MAX)
    .default(5_000)
    .describe(
      'Time from the signal to stop, in which a load balancer sees `/readyz` say 503, to the end of listening, ms',
    ),
  DEPLOYMENT: z.string().max(100).optional().describe('Name of the deployment, shown by `/v1/health`'),
  ...limitSettings,
  ...fetchSettings,
  ...sealingSettings,
  ...tracingSettings,
  TRACE_CALLERS: z
    .enum(TRACE_CALLERS)
    .default('link')
    .describe(
      'What a `traceparent` of a caller does: `link`: the trace of his request is a new one that points to his; `continue`: it is part of his, which also decides whether it is sampled, for gateways that only trusted callers reach; `ignore`: nothing',
    ),
});

export type GatewayConfig = z.output<typeof gatewaySettings>;
