import { JOB_SECRETS, ROLES, SERVICES } from '@scriptorium/contracts/services';
import { GatewayKeys } from '@scriptorium/sealing/job-keys';
import type { Secrets } from '@scriptorium/sealing/secret-bytes';
import {
  commonSettings,
  host,
  integer,
  internalSettings,
  type Secret,
  secret,
  secretUrl,
} from '@scriptorium/shared/config';
import { fetchSettings } from '@scriptorium/shared/fetch/settings';
import {
  jobSecretBytes,
  jobSecretSettings,
  jobSecretsInProduction,
  sealingSettings,
  verifierSealingSettings,
} from '@scriptorium/shared/secrets/settings';
import { TRACE_CALLERS, tracingSettings } from '@scriptorium/shared/tracing/settings';
import { z } from 'zod';
import { limitSettings } from './limits.ts';
import { domains, origins } from './lists.ts';

/** With the default deadline, this is still within the time that a process has to close. */
const DRAIN_MS_MAX = 15_000;

const settings = z.object({
  ...commonSettings,
  ...internalSettings(SERVICES.gateway.internalPort),
  HOST: host().default('127.0.0.1').describe('Address to listen on'),
  PORT: integer(0, 65_535)
    .default(SERVICES.gateway.publicPort)
    .describe('Port to listen on. 0 picks a free port'),
  DATABASE_URL: secretUrl(['postgres:', 'postgresql:']).describe(
    'PostgreSQL for API keys and usage: `postgres://…`',
  ),
  SMTP_URL: secretUrl(['smtp:', 'smtps:'])
    .optional()
    .describe(
      'Mail server: `smtp://[user:password@]host:port` or `smtps://…`. Required unless `REGISTRATION=closed`',
    ),
  REGISTRATION: z
    .enum(['open', 'domains', 'closed'])
    .default('open')
    .describe(
      'Who gets an API key by mail. `open`: every address. `domains`: the addresses of `REGISTRATION_DOMAINS`. `closed`: no address; the operator issues keys',
    ),
  REGISTRATION_DOMAINS: domains()
    .optional()
    .describe(
      'Domains for `REGISTRATION=domains`, separated by commas: `example.com`, or `*.example.com` for those below it',
    ),
  SERVICE_KEY_FOR: z
    .enum(['issued', 'everyone'])
    .default('issued')
    .describe(
      'Which API keys may sign with the key of the service. `issued`: those that the operator issued. `everyone`: also those by mail',
    ),
  TRIAL: z
    .enum(['off', 'on'])
    .default('off')
    .describe(
      'Whether `POST /v1/auth/trial` gives keys without an address: for 30 minutes, 20 documents of 5 MiB, and signatures with a development key',
    ),
  PLAYGROUND: z
    .enum(['on', 'off'])
    .default('on')
    .describe('Whether the gateway serves the page `/try`, which shows the operations in a browser'),
  MAILBOX_URL: z
    .string()
    .regex(/^https?:\/\/\S+$/, 'must be http://… or https://…')
    .optional()
    .describe('Address of a mailbox that catches all mails of a trial. The page `/try` links to it'),
  BOOTSTRAP_API_KEY_FILE: z
    .string()
    .min(1)
    .optional()
    .describe(
      'File with an API key that is valid from the start, such as `npm run -s keys -- draw` prints. Another key in the file replaces the earlier one at the next start',
    ),
  MAIL_FROM: z
    .string()
    .regex(
      /^([^<>\r\n]*<[^\s<>@]+@[^\s<>@]+>|[^\s<>@]+@[^\s<>@]+)$/,
      'must be an address: Name <name@example.com>',
    )
    .default('Scriptorium <no-reply@localhost>')
    .describe('Sender of the mails'),
  CODE_PEPPER: secret(32).describe(
    'Secret for hashing e-mail codes and addresses. It must be the same on every gateway. Two values with a comma between: the first is used, and what the second made is still accepted',
  ),
  API_KEY_PREFIX: z
    .string()
    .regex(/^[a-z][a-z0-9_]{0,14}_$/, 'must have the form scr_')
    .default('scr_')
    .describe('Prefix of issued API keys'),
  TRUST_PROXY_HOPS: integer(0, 16)
    .default(0)
    .describe('Number of trusted proxies in front, for `X-Forwarded-For`'),
  CORS_ORIGINS: origins()
    .optional()
    .describe(
      'Sites whose pages may call the API from a browser, by their origin, separated by commas: `https://app.example.com`. By default none',
    ),
  PUBLIC_URL: z
    .string()
    .regex(/^https?:\/\/[^\s?#]+$/, 'must be http://… or https://…')
    .optional()
    .describe('Base URL shown on the pages. By default the URL of the request'),
  SECURITY_CONTACT: z
    .string()
    .regex(/^(mailto:\S+@\S+|https:\/\/\S+)$/, 'must be mailto:… or https://…')
    .optional()
    .describe(
      'Where to report a vulnerability of this installation: `mailto:…` or `https://…`. The gateway shows it at `/.well-known/security.txt`',
    ),
  DRAIN_MS: integer(0, DRAIN_MS_MAX)
    .default(5_000)
    .describe(
      'Time from the stop signal until the gateway stops listening, ms. During this time `/readyz` returns 503, so that load balancers stop sending requests',
    ),
  DEPLOYMENT: z.string().max(100).optional().describe('Name of the deployment in `/v1/health`'),
  ...limitSettings,
  ...fetchSettings,
  DELIVER: z
    .enum(['on', 'off', 'allowlist'])
    .default('on')
    .describe(
      '`on`: send results and notifications of jobs to public addresses on ports 80 and 443, and to the entries of `DELIVER_ALLOW`. `allowlist`: only to the entries of `DELIVER_ALLOW`. `off`: send none. `FETCH_DENY` takes precedence',
    ),
  DELIVER_ALLOW: fetchSettings.FETCH_ALLOW.describe(
    'Hosts and addresses to which results and notifications may also be sent, in the form of `FETCH_ALLOW`',
  ),
  ...sealingSettings,
  ...verifierSealingSettings,
  ...jobSecretSettings,
  ...tracingSettings,
  TRACE_CALLERS: z
    .enum(TRACE_CALLERS)
    .default('link')
    .describe(
      'How the gateway handles the `traceparent` of a caller. `link`: start a new trace with a link to it. `continue`: join it and follow its sampling decision; use this only if all callers are trusted. `ignore`: do not use it',
    ),
});

const SECRETS = ['SIGNER_SECRET', 'VERIFIER_SECRET', ...Object.values(JOB_SECRETS)] as const;

/** Whether two settings have a value in common, in whatever form each is written. */
function shareSecret(one: Secret | undefined, other: Secret | undefined): boolean {
  const [ones = [], others = []] = [jobSecretBytes(one), jobSecretBytes(other)];
  return ones.some((bytes) => others.some((same) => Buffer.compare(bytes, same) === 0));
}

/** With one secret for two kinds of workers, each could open what is for the other. */
const withDistinctSecrets = SECRETS.reduce(
  (checked, name, at) =>
    SECRETS.slice(0, at).reduce(
      (pairs, other) =>
        pairs.refine((read) => !shareSecret(read[name], read[other]), {
          path: [name],
          error: `must differ from ${other}`,
        }),
      checked,
    ),
  settings,
);

/** Whether a pepper, or the one that it replaces, is the text of another secret. */
const isTextOf = (pepper: Secret, other: Secret | undefined): boolean =>
  other !== undefined &&
  pepper
    .reveal()
    .split(',')
    .some((text) => other.reveal().split(',').includes(text));

const withDistinctPepper = withDistinctSecrets.refine(
  (read) => !SECRETS.some((name) => isTextOf(read.CODE_PEPPER, read[name])),
  { path: ['CODE_PEPPER'], error: 'must differ from the other secrets' },
);

/** Some secrets without the others would leave some jobs open. */
const withAllJobSecrets = withDistinctPepper.refine(
  (read) => new Set(Object.values(JOB_SECRETS).map((name) => read[name] === undefined)).size === 1,
  { path: ['CONVERTER_JOB_SECRET'], error: 'and the secrets for the jobs of the other workers go together' },
);

const withRegistration = withAllJobSecrets
  .refine((read) => read.SMTP_URL !== undefined || read.REGISTRATION === 'closed', {
    path: ['SMTP_URL'],
    error: 'is missing, and REGISTRATION is not closed',
  })
  .refine((read) => (read.REGISTRATION_DOMAINS !== undefined) === (read.REGISTRATION === 'domains'), {
    path: ['REGISTRATION_DOMAINS'],
    error: 'goes with REGISTRATION=domains',
  });

export const gatewaySettings = jobSecretsInProduction(withRegistration, Object.values(JOB_SECRETS));

export type GatewayConfig = z.output<typeof gatewaySettings>;

/** Returns the keys of all jobs, or undefined if none are set. */
export function jobKeysOf(config: GatewayConfig): GatewayKeys | undefined {
  const secrets: Record<string, Secrets> = {};
  for (const role of ROLES) {
    const secret = jobSecretBytes(config[JOB_SECRETS[role]]);
    if (secret === undefined) return undefined;
    secrets[role] = secret;
  }
  return new GatewayKeys(secrets);
}
