import {
  type Converted,
  type Filled,
  factsOf,
  fillingOf,
  type Linted,
  type Made,
  readConverted,
  readFilled,
  readLinted,
  readMade,
} from './answer.ts';
import type * as api from './api-types.gen.ts';
import { type BatchOptions, type BatchResult, makeBatch, type Rows } from './batch.ts';
import { bodyOf, bytesOf, documentOf, extensionOf, type Input, mergeBodyOf, sourceOf } from './input.ts';
import { Jobs } from './jobs.ts';
import { type Call, type CallOptions, type ClientOptions, Transport } from './transport.ts';

export type { Converted, Filled, Linted, Made } from './answer.ts';
export type * from './api-types.gen.ts';
export type { BatchOptions, BatchResult } from './batch.ts';
export { ScriptoriumError } from './error.ts';
export type { Input } from './input.ts';
export { JOB_OPERATIONS, type JobOperation, type JobOptions, withDocuments } from './jobs.ts';
export type { CallOptions, ClientOptions } from './transport.ts';
export { typesOf } from './types-of.ts';
export { readWebhook, type Webhook, type WebhookHeaders } from './webhooks.ts';

type Data = Extract<api.Generation, { data: unknown }>;
type Format = CallOptions & { to?: 'docx' | 'pdf' };
type Cell = string | number | boolean | null;
type Read<T> = (response: Response) => Promise<T>;

/** Values by the id of their field: an array of rows is a table. */
export type FieldRecord = Record<string, Cell | Cell[][] | undefined>;
type Fields = readonly api.Field[] | FieldRecord;
export type ConvertOptions = Partial<api.ConvertData['query']> & CallOptions;
export type FillOptions = NonNullable<api.AnnotateData['query']> & CallOptions;
export type GenerateOptions = Format & Omit<Data, 'document' | 'data' | 'fields'>;
export type InspectOptions = CallOptions & Pick<api.InspectRequest, 'data' | 'password'>;
export type MergeOptions = Format & api.MergeOptions;
export type AugmentOptions = api.AugmentRequestPart & CallOptions;
export type SignOptions = api.SignRequestPart & CallOptions & { to?: 'pdf' };
export type SignDigestOptions = api.SignDigestRequest & CallOptions;
export type UsageOptions = NonNullable<api.GetUsageData['query']> & CallOptions;
export type VerifyOptions = ClientOptions & { registration?: string };
export type Generated = Filled &
  Omit<api.GeneratedDocument, 'document' | 'report' | 'warnings'> & {
    signWarnings?: api.GeneratedDocument['warnings'];
  };
export type Augmented = Made & Omit<api.AugmentedDocument, 'document'>;
export type DigestSigned = Omit<api.SignatureOfDigest, 'cms'> & { cms: Uint8Array<ArrayBuffer> };
export type Signed = Made & Omit<api.SignedDocument, 'document'>;

const DOCX_TYPE = 'application/vnd.openxmlformats-officedocument.wordprocessingml.document';
const TYPES = { docx: DOCX_TYPE, pdf: 'application/pdf' };
const jsonOf = <T>(response: Response): Promise<T> => response.json() as Promise<T>;

/** A client of the service. All methods throw ScriptoriumError. */
export class Scriptorium {
  readonly #transport: Transport;
  /** Requests that are answered later. */
  readonly jobs: Jobs;

  constructor(options: ClientOptions) {
    this.#transport = new Transport(options);
    this.jobs = new Jobs(this.#transport);
  }

  /** Has a code mailed to an address. Returns the id of the registration, for `Scriptorium.verify` from another network. */
  static register(email: string, options: ClientOptions): Promise<string> {
    const call: Call = { method: 'GET', path: '/v1/auth/register', query: { email }, isOnce: true };
    return new Transport(options).send(call, async ({ headers }) => headers.get('x-registration-id') ?? '');
  }

  /** Returns the API key for the code of a mail. The service shows it only once. */
  static verify(email: string, code: string, options: VerifyOptions): Promise<string> {
    const body = { email, code, registration: options.registration };
    return new Transport(options).send({ path: '/v1/auth/verify', body, isOnce: true }, jsonOf<string>);
  }

  /** Converts a document: by default from the format that its name ends in, or else DOCX, to PDF. */
  async convert(input: Input, { signal, ...query }: ConvertOptions = {}): Promise<Converted> {
    const source = await sourceOf(input);
    const from = query.from ?? extensionOf(source.name) ?? 'docx';
    const call = { path: '/v1/convert', query: { ...query, from }, accept: 'multipart/mixed', signal };
    return this.#transport.send({ ...call, body: bodyOf(source, undefined) }, readConverted);
  }

  /** Lists the fields and marks of a template. With `data`, also what it lacks and what no mark reads of it. */
  inspect(template: Input, { signal, ...request }: InspectOptions = {}): Promise<api.TemplateReport> {
    return this.#post(
      template,
      request,
      { path: '/v1/templates/inspect', signal },
      jsonOf<api.TemplateReport>,
    );
  }

  /** Returns a template with a comment at each mistake in its marks, or without mistakes, at each doubt. With `data`, also at what it lacks. */
  lint(template: Input, { signal, ...request }: InspectOptions = {}): Promise<Linted> {
    const call = { path: '/v1/templates/inspect', query: { to: 'docx' }, accept: DOCX_TYPE, signal };
    return this.#post(template, request, call, readLinted);
  }

  /** Fills the fields of a template. */
  async fill(template: Input, fields: Fields, { signal, ...query }: FillOptions = {}): Promise<Filled> {
    const call = { path: '/v1/annotate', query, accept: TYPES[query.to ?? 'docx'], signal };
    const list = listOf(fields);
    const filled = await this.#post(template, { fields: list }, call, readFilled);
    const { count, names } = filled.unmatched;
    return { ...filled, unmatched: { count, names: names.map((name) => nameIn(list, name)) } };
  }

  /** Makes a document from a template and data, and converts and signs it if the options say so. */
  generate(template: Input, data: Data['data'], options: GenerateOptions = {}): Promise<Generated> {
    const { to, signal, ...more } = options;
    const call = { path: '/v1/generate', query: { to }, signal };
    const request = { data, ...more };
    if (more.sign === undefined)
      return this.#post(template, request, { ...call, accept: TYPES[to ?? 'docx'] }, readFilled);
    return this.#post(template, request, call, async (response) => {
      const {
        document,
        report: _,
        warnings: signWarnings,
        ...rest
      } = await jsonOf<api.GeneratedDocument>(response);
      const facts = { ...factsOf(response), ...fillingOf(response) };
      return { ...facts, ...rest, ...(signWarnings && { signWarnings }), bytes: bytesOf(document) };
    });
  }

  /** Makes a document of each row, as the results are taken. */
  async *batch(template: Input, rows: Rows, options: BatchOptions = {}): AsyncGenerator<BatchResult> {
    yield* makeBatch(this.#transport, await documentOf(await sourceOf(template)), rows, options);
  }

  /** Combines documents into one, in their order. */
  async merge(inputs: readonly Input[], { to, signal, ...options }: MergeOptions = {}): Promise<Made> {
    const sources = await Promise.all(inputs.map(sourceOf));
    const call = { path: '/v1/merge', query: { to }, accept: TYPES[to ?? 'docx'], signal };
    return this.#transport.send({ ...call, body: await mergeBodyOf(sources, options) }, readMade);
  }

  /** Signs a PDF or DOCX. */
  sign(input: Input, { to, signal, ...request }: SignOptions): Promise<Signed> {
    return this.#post(input, request, { path: '/v1/sign', query: { to }, signal }, async (response) => {
      const { document, ...rest } = await jsonOf<api.SignedDocument>(response);
      return { ...factsOf(response), ...rest, bytes: bytesOf(document) };
    });
  }

  /** Signs the digest of a document that stays here. `cms` is the signature to embed. */
  signDigest({ signal, ...body }: SignDigestOptions): Promise<DigestSigned> {
    return this.#transport.send({ path: '/v1/sign/digest', body, signal }, async (response) => {
      const signed = await jsonOf<api.SignatureOfDigest>(response);
      return { ...signed, cms: bytesOf({ base64: signed.cms }) };
    });
  }

  /** Raises the level of the signatures of a PDF or DOCX, or renews their protection. */
  augment(input: Input, { signal, ...request }: AugmentOptions = {}): Promise<Augmented> {
    return this.#post(input, request, { path: '/v1/augment', signal }, async (response) => {
      const { document, ...rest } = await jsonOf<api.AugmentedDocument>(response);
      return { ...factsOf(response), ...rest, bytes: bytesOf(document) };
    });
  }

  /** Verifies the signatures of a PDF or DOCX. An invalid signature is a result, not an error. */
  verify(
    input: Input,
    { signal, ...request }: api.VerifyRequestPart & CallOptions = {},
  ): Promise<api.VerifyReport> {
    return this.#post(input, request, { path: '/v1/verify', signal }, jsonOf<api.VerifyReport>);
  }

  /** Verifies like `verify`, and returns the report as a page or a PDF for people, or as XML of ETSI TS 119 102-2. */
  verificationReport(
    input: Input,
    {
      to = 'pdf',
      signal,
      ...request
    }: api.VerifyRequestPart & CallOptions & { to?: 'html' | 'pdf' | 'xml' } = {},
  ): Promise<Made> {
    const accept = to === 'html' ? 'text/html' : `application/${to}`;
    return this.#post(input, request, { path: '/v1/verify', accept, signal }, readMade);
  }

  /** Returns the counts of opened documents and of operations. */
  usage({ signal, ...query }: UsageOptions = {}): Promise<api.Usage> {
    return this.#transport.send({ method: 'GET', path: '/v1/usage', query, signal }, jsonOf<api.Usage>);
  }

  /** Returns the formats and limits of the service. */
  limits({ signal }: CallOptions = {}): Promise<api.Limits> {
    return this.#transport.send({ method: 'GET', path: '/v1/limits', signal }, jsonOf<api.Limits>);
  }

  /** Returns the state of the service, also without a key. Throws UNAVAILABLE if it cannot serve requests. */
  health({ signal }: CallOptions = {}): Promise<api.Health> {
    return this.#transport.send({ method: 'GET', path: '/v1/health', signal }, jsonOf<api.Health>);
  }

  /** The API keys of the address that owns the key. */
  readonly keys = {
    list: async ({ signal }: CallOptions = {}): Promise<api.ApiKey[]> => {
      const call = { method: 'GET', path: '/v1/auth/keys', signal } as const;
      return (await this.#transport.send(call, jsonOf<{ keys: api.ApiKey[] }>)).keys;
    },
    revoke: (id: string, { signal }: CallOptions = {}): Promise<void> => {
      const call = { method: 'DELETE', path: `/v1/auth/keys/${encodeURIComponent(id)}`, signal } as const;
      return this.#transport.send(call, async () => undefined);
    },
  };

  async #post<T>(input: Input, request: object | undefined, call: Call, read: Read<T>): Promise<T> {
    return this.#transport.send({ ...call, body: bodyOf(await sourceOf(input), request) }, read);
  }
}

/** The name of an entry, of which the service knows the place: `fields[3]`. */
function nameIn(list: readonly api.Field[], place: string): string {
  const { id, group } = list[Number(/\d+/.exec(place)?.[0])] ?? {};
  return id ?? group ?? place;
}

function listOf(fields: Fields): readonly api.Field[] {
  if (Array.isArray(fields)) return fields as readonly api.Field[];
  return Object.entries(fields as FieldRecord).flatMap(([id, value]): api.Field[] => {
    if (value === undefined) return [];
    return [Array.isArray(value) ? { id, type: 'table', value } : { id, type: 'text', value }];
  });
}
