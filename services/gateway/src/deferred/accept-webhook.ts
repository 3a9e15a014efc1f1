import { AppError, type ErrorDetail } from '@scriptorium/contracts/errors';
import { invalid } from '@scriptorium/shared/http/validation';
import type { Request } from 'express';
import { type Middleware, ownerOf } from '../http/context.ts';
import type { Route } from '../http/route.ts';
import { type AcceptParts, checkAddress, keep } from './accept-job.ts';
import {
  address,
  headersOfPut,
  idempotencyKeyOf,
  WEBHOOK_METHODS as METHODS,
  type Webhook,
} from './fields.ts';

/** What the operation of such jobs is called: its route is not in the reference. */
const OPERATION = 'convertAsGotenberg';
const PREFIX = 'gotenberg-webhook-';
const NAMES = new Set(['url', 'error-url', 'method', 'error-method', 'extra-http-headers']);
/** Headers of the request that its handler reads when it runs. */
const READ = ['content-type', 'gotenberg-output-filename'];

/** Accepts a form whose result is sent to a webhook, as Gotenberg does: with 204 and no body. */
export function acceptWebhook({ path }: Pick<Route, 'path'>, parts: AcceptParts): Middleware {
  return async (request, response, next) => {
    const asked = webhooksOf(request);
    if (asked === undefined) return next();
    if (ownerOf(response).rights.origin === 'trial')
      throw new AppError('FORBIDDEN', 'With a trial key, requests are answered at once only.');
    if (!request.is('multipart/form-data'))
      throw new AppError('UNSUPPORTED_MEDIA_TYPE', 'Send multipart/form-data.');
    const idempotencyKey = idempotencyKeyOf(request);
    await parts.checkStores();
    const { signal } = response.locals;
    await checkAddress(parts.sender, `headers.${PREFIX}url`, asked.done.url, signal);
    await checkAddress(parts.sender, `headers.${PREFIX}error-url`, asked.failed.url, signal);
    await parts.receiveBytes(request, response, () => undefined);
    const bytes = request.body as Buffer;
    request.body = undefined;
    const { url, ...failed } = asked.failed;
    await keep(
      response,
      parts,
      {
        ...{ operation: OPERATION, path, accept: '*/*', idempotencyKey },
        asked: { deliver: { put: asked.done }, notify: { url, failed } },
        form: Object.fromEntries(READ.map((name) => [name, request.headers[name]])) as Record<string, string>,
      },
      bytes,
    );
    response.status(204).end();
  };
}

/** Undefined without a webhook. Throws VALIDATION_ERROR. */
function webhooksOf(request: Request): { done: Webhook; failed: Webhook } | undefined {
  const all = Object.entries(request.headers).filter(([name]) => name.startsWith(PREFIX));
  if (all.length === 0) return undefined;
  const sent = new Map(all.map(([name, value]) => [name.slice(PREFIX.length), String(value)]));
  const issues: ErrorDetail[] = [];
  const refuse = (name: string, issue: string): void =>
    void issues.push({ field: `headers.${PREFIX}${name}`, issue });
  for (const name of sent.keys()) if (!NAMES.has(name)) refuse(name, 'is not supported');
  const urlOf = (name: string): string => {
    const { data = '', error } = address.safeParse(sent.get(name) ?? '');
    if (error !== undefined) refuse(name, error.issues[0]?.message ?? '');
    return data;
  };
  const methodOf = (name: string): Webhook['method'] => {
    const method = METHODS.find((one) => one === (sent.get(name) ?? 'POST').toUpperCase());
    if (method === undefined) refuse(name, `must be ${METHODS.join(', ')}`);
    return method ?? 'POST';
  };
  const { data: extra = {}, error } = headersOfPut.safeParse(jsonOf(sent.get('extra-http-headers') ?? '{}'));
  if (error !== undefined)
    refuse(
      'extra-http-headers',
      `must be JSON of texts by the names of headers: ${error.issues[0]?.message}`,
    );
  const { 'gotenberg-trace': trace } = request.headers;
  const headers = { ...extra, ...(typeof trace === 'string' && { 'gotenberg-trace': trace }) };
  const done = { url: urlOf('url'), method: methodOf('method'), headers };
  const failed = { url: urlOf('error-url'), method: methodOf('error-method'), headers };
  if (issues.length > 0) throw invalid(issues);
  return { done, failed };
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
