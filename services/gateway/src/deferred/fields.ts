import { invalid } from '@scriptorium/shared/http/validation';
import type { Request } from 'express';
import { z } from 'zod';

const URL_LENGTH_MAX = 4_096;
const HEADERS_MAX = 20;
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

const address = z
  .string()
  .max(URL_LENGTH_MAX, `must have at most ${URL_LENGTH_MAX} characters`)
  .regex(/^https?:\/\//i, 'must begin with http:// or https://');

const headerName = z
  .string()
  .regex(/^[!#$%&'*+.^_`|~0-9A-Za-z-]{1,100}$/, 'must be the name of a header')
  .refine((name) => !isOwnHeader(name), 'is a header that the service sets itself');

const headerValue = z
  .string()
  .regex(/^[\t\x20-\x7e]{0,2048}$/, 'must have at most 2,048 characters of printable ASCII');

const put = z
  .strictObject({
    url: address.describe('Where the result is sent by PUT, such as a presigned address of an object store'),
    headers: z
      .record(headerName, headerValue)
      .refine(
        (headers) => Object.keys(headers).length <= HEADERS_MAX,
        `must have at most ${HEADERS_MAX} headers`,
      )
      .optional()
      .describe(
        'Headers of the PUT, such as `x-ms-blob-type`. `Content-Type` is that of the result otherwise',
      ),
  })
  .meta({ id: 'Put' });

/** What a JSON body has beside the request itself, if it is to be answered later. */
export const deferredFields = z.strictObject({
  deliver: z
    .strictObject({ put })
    .optional()
    .describe('With `Prefer: respond-async`: where the result goes. Without it, it waits to be fetched once'),
  notify: z
    .strictObject({ url: address.describe('Gets a signed POST when the job has ended') })
    .optional()
    .describe('With `Prefer: respond-async`: a webhook'),
});
export type DeferredFields = z.output<typeof deferredFields>;

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
