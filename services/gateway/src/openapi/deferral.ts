import type { Deferral } from '../deferred/fields.ts';
import { shownJob } from '../deferred/job.ts';
import type { ComponentSchemas, Json } from './schemas.ts';

/** What a caller may send with a request to have its answer later. */
export const PREFER: Json = {
  name: 'Prefer',
  in: 'header',
  required: false,
  description: '`respond-async`: the answer is a job, with status 202. Only with a JSON body',
  schema: { type: 'string' },
};

/** What makes it safe to repeat a request. */
export const IDEMPOTENCY_KEY: Json = {
  name: 'Idempotency-Key',
  in: 'header',
  required: false,
  description:
    'A request that is repeated with the same key counts once, for 24 hours. With `Prefer: respond-async`, it is the same job',
  schema: { type: 'string', maxLength: 255 },
};

/** Short, so that it fits narrow screens. */
const NEW_JOB = { id: 'job_a', operation: 'sign', status: 'queued', createdAt: '2026-05-01T12:00:00Z' };

/** The answer of a request that is answered later. */
export const accepted = (schemas: ComponentSchemas): Json => ({
  '202': {
    description: 'With `Prefer: respond-async`: the job',
    headers: {
      'X-Request-Id': { $ref: '#/components/headers/RequestId' },
      Location: { description: 'The address of the job', schema: { type: 'string' } },
    },
    content: {
      'application/json': {
        schema: schemas.of(shownJob, 'output'),
        examples: { sample: { summary: 'A new job', value: NEW_JOB } },
      },
    },
  },
});

/** What a JSON body may have beside the request itself. */
export function addDeferredFields(
  body: Json,
  schemas: ComponentSchemas,
  { fields, rowsAddress }: Deferral,
): void {
  const { properties } = schemas.of(fields, 'input') as { properties: Json };
  const [, whole] = schemas.resolve(body);
  for (const option of (whole.oneOf as Json[] | undefined) ?? [whole]) {
    const own = option.properties as Json;
    const rows = rowsAddress && { oneOf: [own.rows, schemas.of(rowsAddress, 'input')] };
    option.properties = { ...own, ...properties, ...(rows && { rows }) };
  }
}
