import { once } from 'node:events';
import type { Reply } from '../context.ts';

/** A multiple of 3, so that the base64 of slices is the slices of the base64. */
const SLICE_BYTES = 3 * 64 * 1024;

/**
 * Sends `{document: {base64, contentType}, …more}`, the document as a data URI. Slice by slice, as fast as the caller takes
 * them: the answer is never in memory as a whole, and never goes through a JSON writer.
 */
export async function sendJsonDocument(
  response: Reply,
  bytes: Buffer,
  contentType: string,
  more: object = {},
): Promise<void> {
  const head = Buffer.from(`{"document":{"base64":"data:${contentType};base64,`);
  const rest = JSON.stringify(more).slice(1);
  const tail = Buffer.from(`","contentType":"${contentType}"}${rest === '}' ? '' : ','}${rest}`);
  response.setHeader('Cache-Control', 'no-store');
  response.setHeader('Content-Type', 'application/json; charset=utf-8');
  response.setHeader('Content-Length', head.length + 4 * Math.ceil(bytes.length / 3) + tail.length);
  for (const piece of pieces(head, bytes, tail)) {
    if (response.closed) return;
    if (!response.write(piece)) await drained(response);
  }
  response.end();
}

/** Resolves when the caller has taken what was written, or has left. */
async function drained(response: Reply): Promise<void> {
  await once(response, 'drain', { signal: response.locals.signal }).catch((error) => {
    if (!response.destroyed) throw error;
  });
}

function* pieces(head: Buffer, bytes: Buffer, tail: Buffer): Generator<Buffer> {
  yield head;
  for (let start = 0; start < bytes.length; start += SLICE_BYTES)
    yield Buffer.from(bytes.toString('base64', start, start + SLICE_BYTES), 'latin1');
  yield tail;
}
