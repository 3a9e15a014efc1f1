import type * as api from './api-types.gen.ts';
import { documentOf } from './input.ts';
import type { CallOptions, Transport } from './transport.ts';

/** Operations whose answer may come later, with their JSON bodies and queries. */
interface Later {
  convert: api.ConvertData;
  annotate: api.AnnotateData;
  generate: api.GenerateData;
  merge: api.MergeData;
  inspectTemplate: api.InspectTemplateData;
  sign: api.SignData;
  signDigest: api.SignDigestData;
  augment: api.AugmentData;
  verify: api.VerifyData;
  batch: api.CreateBatchData;
}

/** The operations of jobs. */
export type JobOperation = keyof Later;

const PATHS: Record<JobOperation, string> = {
  convert: '/v1/convert',
  annotate: '/v1/annotate',
  generate: '/v1/generate',
  merge: '/v1/merge',
  inspectTemplate: '/v1/templates/inspect',
  sign: '/v1/sign',
  signDigest: '/v1/sign/digest',
  augment: '/v1/augment',
  verify: '/v1/verify',
  batch: '/v1/batches',
};
export const JOB_OPERATIONS = Object.keys(PATHS) as JobOperation[];

export type JobOptions<Operation extends JobOperation> = CallOptions & {
  query?: NonNullable<Later[Operation]['query']> | undefined;
  /** The type of the result, as in a call. */
  accept?: string;
  /** The same key and request are the same job. */
  idempotencyKey?: string;
};

/** Requests that are answered later: https://www.rfc-editor.org/rfc/rfc7240#section-4.1. */
export class Jobs {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /** Sends a request whose result is delivered as `body.deliver` says, or waits to be fetched. */
  start<Operation extends JobOperation>(
    operation: Operation,
    body: Later[Operation]['body'],
    { query, accept, idempotencyKey, signal }: JobOptions<Operation> = {},
  ): Promise<api.Job> {
    // Without a key, a second request would be a second job.
    const isOnce = idempotencyKey === undefined;
    const headers = { prefer: 'respond-async', ...(!isOnce && { 'idempotency-key': idempotencyKey }) };
    const call = {
      path: PATHS[operation],
      query: query as Record<string, unknown>,
      headers,
      body,
      isOnce,
      signal,
    };
    return this.#transport.send({ ...call, ...(accept !== undefined && { accept }) }, jobOf);
  }

  /** Returns a job. With `waitSeconds`, at most 60, once it has ended or that time is over. */
  get(
    id: string,
    { waitSeconds = 0, signal }: CallOptions & { waitSeconds?: number } = {},
  ): Promise<api.Job> {
    const headers: Record<string, string> = waitSeconds > 0 ? { prefer: `wait=${waitSeconds}` } : {};
    return this.#transport.send({ method: 'GET', path: pathOf(id), headers, signal }, jobOf);
  }

  /** Returns at most 100 jobs of the last 24 hours, newest first, from the one behind `after` on. */
  list({ after, signal }: CallOptions & { after?: string } = {}): Promise<api.Job[]> {
    const call = { method: 'GET', path: '/v1/jobs', query: { after }, signal } as const;
    return this.#transport.send(call, async (response) => ((await response.json()) as api.Jobs).jobs);
  }

  /** Returns the answer of a job that has succeeded. The service has it once. */
  result(id: string, { signal }: CallOptions = {}): Promise<{ bytes: Uint8Array; contentType: string }> {
    const call = {
      method: 'GET',
      path: `${pathOf(id)}/result`,
      accept: '*/*',
      isOnce: true,
      signal,
    } as const;
    return this.#transport.send(call, async (response) => ({
      bytes: new Uint8Array(await response.arrayBuffer()),
      contentType: response.headers.get('content-type') ?? '',
    }));
  }

  /** Cancels a job that has not ended. */
  cancel(id: string, { signal }: CallOptions = {}): Promise<api.Job> {
    return this.#transport.send({ method: 'DELETE', path: pathOf(id), signal }, jobOf);
  }

  /** Returns the secret of the webhooks of this key, for a library of Standard Webhooks. */
  webhookSecret({ signal }: CallOptions = {}): Promise<string> {
    const call = { method: 'GET', path: '/v1/jobs/webhook-secret', signal } as const;
    return this.#transport.send(
      call,
      async (response) => ((await response.json()) as api.WebhookSecret).secret,
    );
  }
}

/** Returns the body of a request in which `{"path": …}` stands for a document that `read` opens. */
export async function withDocuments(
  request: Record<string, unknown>,
  read: (path: string) => Promise<Blob>,
): Promise<Record<string, unknown>> {
  const sent = async (one: unknown): Promise<unknown> => {
    const { path } = (one ?? {}) as { path?: unknown };
    return typeof path === 'string' ? documentOf({ file: await read(path), name: '' }) : one;
  };
  const { document, documents } = request;
  return {
    ...request,
    ...(document !== undefined && { document: await sent(document) }),
    ...(Array.isArray(documents) && { documents: await Promise.all(documents.map(sent)) }),
  };
}

const pathOf = (id: string): string => `/v1/jobs/${encodeURIComponent(id)}`;
const jobOf = (response: Response): Promise<api.Job> => response.json() as Promise<api.Job>;
