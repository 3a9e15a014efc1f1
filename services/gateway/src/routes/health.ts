import { sendHealth, sendLiveness, sendReadiness } from '@scriptorium/shared/http/answers';
import { z } from 'zod';
import { checkHealth, type HealthChecks } from '../health.ts';
import type { Route } from '../route.ts';

const upOrDown = z.enum(['up', 'down']);
const health = z.strictObject({
  status: z.enum(['healthy', 'degraded']),
  timestamp: z.iso.datetime(),
  version: z.string(),
  deployment: z.string().optional(),
  instance: z.strictObject({
    startTime: z.iso.datetime(),
    uptime: z.number().meta({ description: 'Seconds' }),
  }),
  checks: z.strictObject({
    queue: upOrDown,
    store: upOrDown,
    database: upOrDown,
    converters: z.number().int().meta({ description: 'Converter workers that take jobs' }),
    annotators: z.number().int().meta({ description: 'Annotator workers that take jobs' }),
    signers: z.number().int().meta({ description: 'Signer workers that take jobs' }),
    verifiers: z.number().int().meta({ description: 'Verifier workers that take jobs' }),
    sandbox: z.enum(['enforced', 'degraded', 'unknown']).meta({
      description:
        'What is around the processes that read documents: `degraded` where a converter runs without all its walls, ' +
        'as its operator told it to; `unknown` where no converter has told. Changes no status',
    }),
  }),
});

export interface HealthParts {
  checks: HealthChecks;
  version: string;
  deployment: string | undefined;
  /** True from the first signal to stop: a load balancer must send no more requests. */
  isClosing(): boolean;
}

const probe = z.strictObject({ status: z.enum(['ok', 'unavailable']) });

export function healthRoutes({ checks, version, deployment, isClosing }: HealthParts): Route[] {
  const instance = { version, deployment, startedAt: Date.now() };
  return [
    {
      method: 'get',
      path: '/v1/health',
      access: 'public',
      tag: 'System',
      isUntraced: true,
      summary: 'Health of the service',
      description:
        'Status 503 when this gateway cannot serve; `degraded` with 200 when no converter, annotator, signer or verifier is there.',
      success: [{ description: 'The gateway can serve', contentType: 'application/json', schema: health }],
      errors: [],
      async handle(_request, response) {
        sendHealth(response, await checkHealth(checks), instance);
      },
    },
    {
      method: 'get',
      path: '/livez',
      access: 'public',
      tag: 'System',
      isUntraced: true,
      summary: 'Liveness probe: the process answers',
      success: [{ description: 'It lives', contentType: 'application/json', schema: probe }],
      errors: [],
      handle: (_request, response) => sendLiveness(response),
    },
    {
      method: 'get',
      path: '/readyz',
      access: 'public',
      tag: 'System',
      isUntraced: true,
      summary: 'Readiness probe: requests can be served',
      success: [
        { description: 'It is ready; 503 when it is not', contentType: 'application/json', schema: probe },
      ],
      errors: [],
      async handle(_request, response) {
        sendReadiness(response, !isClosing() && (await checkHealth(checks)).canServe);
      },
    },
  ];
}
