import { DOCUMENT_LOADERS } from '@scriptorium/contracts/jobs/conversion-report';
import { ROLES } from '@scriptorium/contracts/services';
import { sendHealth, sendLiveness, sendReadiness } from '@scriptorium/shared/http/answers';
import { z } from 'zod';
import { checkHealth, type HealthChecks } from '../backends/health.ts';
import type { Route } from '../http/route.ts';

const anyRole = new Intl.ListFormat('en-GB', { type: 'disjunction' }).format(ROLES);
const upOrDown = z.enum(['up', 'down']);
const health = z
  .strictObject({
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
      ...Object.fromEntries(
        ROLES.map((role) => [
          `${role}s`,
          z
            .number()
            .int()
            .meta({ description: `Number of ${role}s that accept jobs` }),
        ]),
      ),
      sandbox: z.enum(['enforced', 'degraded', 'unknown']).meta({
        description:
          'Isolation of the processes that read documents: `degraded` if a converter runs without the full sandbox, ' +
          'as configured by its operator. `unknown` if no converter has reported it. It does not change the status',
      }),
      loader: z.enum([...DOCUMENT_LOADERS, 'unknown']).meta({
        description:
          'How converters load documents: `libreofficekit`, which takes more time, if one of them cannot use ' +
          'the `writer`; `unknown` if no converter has reported it',
      }),
      secondReader: z.enum(['up', 'missing', 'unknown']).meta({
        description:
          'Whether Poppler reads signed PDFs with updates as well, beside PDFium: `missing` if a verifier does ' +
          'without it; `unknown` if no verifier has reported it. It does not change the status',
      }),
    }),
  })
  .meta({ id: 'Health' });

export interface HealthParts {
  checks: HealthChecks;
  version: string;
  deployment: string | undefined;
  /** True from the stop signal on, so that load balancers stop sending requests. */
  isClosing(): boolean;
}

const probe = z.strictObject({ status: z.enum(['ok', 'unavailable']) });

export function healthRoutes({ checks, version, deployment, isClosing }: HealthParts): Route[] {
  const instance = { version, deployment, startedAt: Date.now() };
  return [
    {
      operationId: 'getHealth',
      method: 'get',
      path: '/v1/health',
      access: 'public',
      tag: 'System',
      isUntraced: true,
      summary: 'Health of the service',
      description: `Returns 503 if this gateway cannot serve requests. Returns 200 with \`degraded\` without a ${anyRole}, or if the database is away. Keys seen within the last hour still work then.`,
      success: [
        { description: 'The gateway can serve requests', contentType: 'application/json', schema: health },
      ],
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
      summary: 'Liveness probe: the process responds',
      success: [{ description: 'The process responds', contentType: 'application/json', schema: probe }],
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
        {
          description: 'The gateway is ready; otherwise 503',
          contentType: 'application/json',
          schema: probe,
        },
      ],
      errors: [],
      async handle(_request, response) {
        sendReadiness(response, !isClosing() && (await checkHealth(checks)).canServe);
      },
    },
  ];
}
