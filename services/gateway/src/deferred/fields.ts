import { invalid } from '@scriptorium/shared/http/validation';
import type { Request } from 'express';
import { z } from 'zod';

const URL_LENGTH_MAX = 4_096;
const HEADERS_MAX = 20;
/** Limits of a multipart upload: https://docs.aws.amazon.com/AmazonS3/latest/userguide/qfacts.html. */
const PARTS_MAX = 10_000;
const PART_BYTES_MIN = 5 * 1024 * 1024;
const PART_BYTES_MAX = 64 * 1024 * 1024;
const WAIT_SECONDS_MAX = 60;

/** Headers of a delivery that the service sets, or that would change how the request is read (RFC 9110 §7.6.1). */
const OWN_HEADERS = new Set([
  'accept',
  'accept-encoding',
  'connection',
  'content-length',
  'content-md5',
  'expect',
  'host',
  'keep-alive',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
  'user-agent',
]);
const isOwnHeader = (name: string): boolean =>
  OWN_HEADERS.has(name.toLowerCase()) || name.toLowerCase().startsWith('proxy-');

export const address = z
  .string()
  .max(URL_LENGTH_MAX, `must have at most ${URL_LENGTH_MAX} characters`)
  .regex(/^https?:\/\//i, 'must begin with http:// or https://')
  // Readers of addresses leave out some of them, so another address would be used.
  .regex(/^[^\p{C}\s]*$/u, 'must have no blanks and no control characters: encode them');

const headerName = z
  .string()
  .regex(/^[!#$%&'*+.^_`|~0-9A-Za-z-]{1,100}$/, 'must be the name of a header')
  .refine((name) => !isOwnHeader(name), 'is a header that the service sets itself');

const headerValue = z
  .string()
  .regex(/^[\t\x20-\x7e]{0,2048}$/, 'must have at most 2,048 characters of printable ASCII');

export const headersOfPut = z
  .record(headerName, headerValue)
  .refine(
    (headers) => Object.keys(headers).length <= HEADERS_MAX,
    `must have at most ${HEADERS_MAX} headers`,
  );

export const put = z
  .strictObject({
    url: address.describe('Where the result is sent by PUT, such as a presigned address of an object store'),
    headers: headersOfPut
      .optional()
      .describe(
        'Headers of the PUT, such as `x-ms-blob-type`. `Content-Type` is that of the result otherwise',
      ),
  })
  .meta({ id: 'Put' });

export type Put = z.output<typeof put>;

const parts = z
  .strictObject({
    urls: z
      .array(address)
      .min(1, 'must have at least one address')
      .max(PARTS_MAX, `must have at most ${PARTS_MAX} addresses`)
      .describe('Presigned addresses of `UploadPart`, in the order of the parts. Not all need be used'),
    bytes: z
      .int()
      .min(PART_BYTES_MIN, `must be at least ${PART_BYTES_MIN}: a store refuses smaller parts`)
      .max(PART_BYTES_MAX, `must be at most ${PART_BYTES_MAX}`)
      .default(2 * PART_BYTES_MIN)
      .describe('Size of each part but the last'),
  })
  .meta({ id: 'Parts' });
export type Parts = z.output<typeof parts>;

const notify = z
  .strictObject({ url: address.describe('Gets a signed POST when the job has ended') })
  .optional()
  .describe('With `Prefer: respond-async`: a webhook');

/** What a JSON body has beside the request itself, if it is to be answered later. */
export const resultFields = z.strictObject({
  deliver: z
    .strictObject({ put })
    .optional()
    .describe('With `Prefer: respond-async`: where the result goes. Without it, it waits to be fetched once'),
  notify,
});
/** The same of a batch. */
export const batchFields = z.strictObject({
  deliver: z
    .strictObject({ parts })
    .optional()
    .describe(
      'With `Prefer: respond-async`: where the answer goes, as parts of a multipart upload. Without it, each row has its own `deliver`',
    ),
  notify,
});
export const WEBHOOK_METHODS = ['POST', 'PUT', 'PATCH'] as const;
/** Where the result of a form goes, or its error: https://gotenberg.dev/docs/webhook-download. */
export interface Webhook {
  url: string;
  method: (typeof WEBHOOK_METHODS)[number];
  headers: Record<string, string>;
}
export interface DeferredFields {
  /** The result of a form has another method, and keeps its name. */
  deliver?: { put?: Put & Partial<Pick<Webhook, 'method'>>; parts?: Parts } | undefined;
  /** `failed`: only of a failure, in the words of Gotenberg. */
  notify?: { url: string; failed?: Omit<Webhook, 'url'> } | undefined;
}

/** How a request is checked whose answer comes later. */
export interface Deferral {
  fields: z.ZodType<DeferredFields>;
  /** Only for a batch: what may stand in place of the list of rows. */
  rowsAddress?: z.ZodType;
  /** Throws VALIDATION_ERROR. Returns the address at which the rows of a batch are. */
  check(sent: unknown, asked: DeferredFields, request: Request): string | undefined;
}

/** The preferences of a request (RFC 7240), by their names in lower case. */
function preferencesOf({ headers: { prefer = '' } }: Request): Map<string, string> {
  const found = new Map<string, string>();
  for (const item of String(prefer).slice(0, 1_000).split(',')) {
    const [name = '', value = ''] = (item.split(';')[0] ?? '').split('=').map((part) => part.trim());
    if (name !== '' && !found.has(name.toLowerCase()))
      found.set(name.toLowerCase(), value.replace(/^"(.*)"$/, '$1'));
  }
  return found;
}

/** Whether the caller wants the answer later. */
export const prefersLater = (request: Request): boolean => preferencesOf(request).has('respond-async');

/** How long the caller wants to wait for a change, in milliseconds. */
export function waitMsOf(request: Request): number {
  const seconds = Number(preferencesOf(request).get('wait') ?? 0);
  return Number.isFinite(seconds) ? 1_000 * Math.min(WAIT_SECONDS_MAX, Math.max(0, seconds)) : 0;
}

/** The value of `Idempotency-Key`. Throws VALIDATION_ERROR for one that cannot be kept. */
export function idempotencyKeyOf(request: Request): string | undefined {
  const key = request.headers['idempotency-key'];
  if (key === undefined) return undefined;
  if (typeof key !== 'string' || !/^[\x20-\x7e]{1,255}$/.test(key))
    throw invalid([
      { field: 'headers.idempotency-key', issue: 'must have 1 to 255 characters of printable ASCII' },
    ]);
  return key;
}
