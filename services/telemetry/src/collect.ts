import type { IncomingMessage, ServerResponse } from 'node:http';
import { AppError } from '@scriptorium/contracts/errors';
import { invalid } from '@scriptorium/shared/http/validation';
import { documentOf } from '@scriptorium/usage/inbox';
import type { TelemetryEvents } from './events.ts';
import type { Inbox } from './inbox.ts';
import type { LicenseBound } from './license-bound.ts';
import { parsePayload } from './payload.ts';

const BODY_BYTES_MAX = 64 * 1024;
const LICENSE = /^[\x21-\x7e]{1,200}$/;

/** Accepts opens, and answers 202 once they are stored. The answer does not reveal whether the license is registered. */
export function collect(inbox: Inbox, bound: LicenseBound, reporter: Pick<TelemetryEvents, 'accepted'>) {
  return async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    requireJson(request);
    const license = licenseOf(request);
    const body = await readBody(request, response);
    const { events, metadata } = parsePayload(body, Date.now());
    bound.take(license, events.length);
    const opens = events.map(({ at, documentId }): [number, string] => [at, documentOf(documentId)]);
    await inbox.append({ license, opens, ...(metadata.length > 0 && { metadata }) }, body.length);
    reporter.accepted(opens.length);
    response.writeHead(202, { 'Content-Length': 0 }).end();
  };
}

function requireJson({ headers }: IncomingMessage): void {
  const type = (headers['content-type'] ?? '').split(';', 1)[0]?.trim().toLowerCase();
  if (type !== 'application/json')
    throw new AppError('UNSUPPORTED_MEDIA_TYPE', 'The body must be application/json.');
  const coding = headers['content-encoding'];
  if (coding !== undefined && coding.toLowerCase() !== 'identity')
    throw new AppError('UNSUPPORTED_MEDIA_TYPE', 'The body must not be compressed.');
}

function licenseOf({ headers }: IncomingMessage): string {
  const license = headers['x-license-key'];
  const field = 'header x-license-key';
  if (license === undefined || license === '') throw invalid([{ field, issue: 'is required' }]);
  if (typeof license !== 'string' || !LICENSE.test(license))
    throw invalid([{ field, issue: 'must have 1 to 200 characters of visible ASCII' }]);
  return license;
}

/** Node ends requests that take too long. */
async function readBody(request: IncomingMessage, response: ServerResponse): Promise<Buffer> {
  if (Number(request.headers['content-length'] ?? 0) > BODY_BYTES_MAX) throw tooLarge();
  if (request.headers.expect !== undefined) response.writeContinue();
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let bytes = 0;
    request.on('data', (chunk: Buffer) => {
      bytes += chunk.length;
      if (bytes <= BODY_BYTES_MAX) chunks.push(chunk);
      else reject(tooLarge());
    });
    request.on('end', () => resolve(Buffer.concat(chunks)));
    request.on('error', () => reject(incomplete()));
    request.on('close', () => {
      if (!request.complete) reject(incomplete());
    });
  });
}

const tooLarge = (): AppError =>
  new AppError('PAYLOAD_TOO_LARGE', `The body exceeds the limit of ${BODY_BYTES_MAX} bytes.`);

const incomplete = (): AppError => new AppError('REQUEST_TIMEOUT', 'The request is incomplete.');
