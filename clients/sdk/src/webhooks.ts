import type { Job } from './api-types.gen.ts';

const TOLERANCE_SECONDS = 300;
const PREFIX = 'whsec_';
/** An HMAC-SHA256 in base64. */
const SIGNATURE = /^v1,([A-Za-z0-9+/]{43}=)$/;

/** A notification of a job that has ended. */
export interface Webhook {
  type: `job.${Job['status']}`;
  timestamp: string;
  data: Job;
}

/** Headers as servers have them: of `Request`, or of `node:http`. */
export type WebhookHeaders = Headers | Readonly<Record<string, string | readonly string[] | undefined>>;

/**
 * Returns the content of a webhook. `body` is what came, as it came. Throws if it was not signed with the secret, or more than
 * five minutes ago. One webhook may come more than once, with the same `webhook-id`:
 * https://github.com/standard-webhooks/standard-webhooks/blob/main/spec/standard-webhooks.md.
 */
export async function readWebhook(
  secret: string,
  headers: WebhookHeaders,
  body: string | Uint8Array,
  now = Date.now(),
): Promise<Webhook> {
  const sent = new Map(
    [...(headers instanceof Headers ? headers : Object.entries(headers))].map(([name, value]) => [
      name.toLowerCase(),
      String(value),
    ]),
  );
  const [id, at, signatures] = ['id', 'timestamp', 'signature'].map(
    (part) => sent.get(`webhook-${part}`) ?? '',
  ) as [string, string, string];
  if (!/^\d+$/.test(at) || Math.abs(now / 1_000 - Number(at)) > TOLERANCE_SECONDS)
    throw new Error('The webhook has no time, or is too old.');
  const bytes = bytesOf(secret.startsWith(PREFIX) ? secret.slice(PREFIX.length) : secret);
  const key = await crypto.subtle.importKey('raw', bytes, { name: 'HMAC', hash: 'SHA-256' }, false, [
    'verify',
  ]);
  const text = typeof body === 'string' ? body : new TextDecoder().decode(body);
  const signed = new TextEncoder().encode(`${id}.${at}.${text}`);
  for (const item of signatures.split(' ')) {
    const [, signature] = SIGNATURE.exec(item) ?? [];
    if (signature !== undefined && (await crypto.subtle.verify('HMAC', key, bytesOf(signature), signed)))
      return JSON.parse(text) as Webhook;
  }
  throw new Error('The webhook was not signed with this secret.');
}

const bytesOf = (base64: string) => Uint8Array.from(atob(base64), (character) => character.charCodeAt(0));
