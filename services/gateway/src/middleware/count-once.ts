import type { Request } from 'express';
import { idempotencyKeyOf } from '../deferred/fields.ts';
import type { JobSecrets } from '../deferred/job-secrets.ts';
import type { RepeatableCalls } from '../deferred/repeatable-calls.ts';
import { type Middleware, ownerOf } from '../http/context.ts';
import type { HeldFile } from './receive-files.ts';

const RENEWAL_MS = 20_000;

/**
 * Counts a call once that is repeated with its `Idempotency-Key`, and runs it once at a time. To be applied once the body has been
 * read. Nothing of an answer is kept, so a call that is repeated runs again.
 */
export function countOnce(calls: RepeatableCalls, { hashes }: JobSecrets): Middleware {
  return async (request, response, next) => {
    const key = idempotencyKeyOf(request);
    if (key === undefined) return next();
    const { ownerHash, rights } = ownerOf(response);
    // Trial keys leave nothing in the database.
    if (rights.origin === 'trial') return next();
    const { requestId } = response.locals;
    const { accept = '*/*' } = request.headers;
    const begun = await calls.begin({
      ...{ ownerHash, requestId, keyHashes: hashes('idempotency', key) },
      requestHashes: hashes('request', request.originalUrl, accept, ...contentOf(request)),
    });
    const isRepeated = begun.countedAs !== requestId;
    response.locals.countedAs = begun.countedAs;
    if (isRepeated) response.setHeader('Idempotent-Replayed', 'true');
    const renewal = setInterval(
      () => void calls.renew(ownerHash, begun).catch(() => undefined),
      RENEWAL_MS,
    ).unref();
    const end = (): void => {
      clearInterval(renewal);
      // What has begun to be answered may have been counted.
      const isAnswered = response.headersSent && response.statusCode < 300;
      void calls.end(ownerHash, begun, !isAnswered && !isRepeated).catch(() => undefined);
    };
    if (response.closed) return end();
    response.once('close', end);
    next();
  };
}

/** The body, without what differs when it is sent again, such as the boundary of a form. Lines of a stream are not read yet. */
function contentOf({ body, files }: Request): (string | Buffer)[] {
  const parts = files === undefined || Array.isArray(files) ? [] : Object.values(files).flat();
  return [
    body === undefined ? '' : JSON.stringify(body),
    ...(parts as HeldFile[]).flatMap(({ fieldname, originalname, held }) => [
      ...[fieldname, originalname, held.bytes],
    ]),
  ];
}
