import { createHash } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { AppError } from '@scriptorium/contracts/errors';
import type { Sender } from '@scriptorium/shared/fetch/fetcher';
import type { Parts } from './fields.ts';
import type { Part, Result } from './job.ts';
import { type Patience, sendPatiently } from './send-put.ts';

const CONTENT_TYPE = 'application/octet-stream';

/** Sends an answer of any length as the parts of a multipart upload. Throws PAYLOAD_TOO_LARGE and DELIVERY_FAILED. */
export async function uploadParts(
  answer: IncomingMessage,
  { urls, bytes: partBytes }: Parts,
  sender: Sender,
  at: Patience,
): Promise<{ parts: Part[]; result: Result }> {
  const parts: Part[] = [];
  const whole = createHash('sha256');
  const upload = async (body: Buffer): Promise<void> => {
    const url = urls[parts.length];
    if (url === undefined)
      throw new AppError(
        'PAYLOAD_TOO_LARGE',
        `The answer does not fit into ${urls.length} parts of ${partBytes} bytes.`,
        { details: [{ field: 'deliver.parts.urls', issue: 'has too few addresses' }] },
      );
    whole.update(body);
    const sent = await sendPatiently(sender, { url }, { body, contentType: CONTENT_TYPE }, at);
    if ('refusal' in sent)
      throw new AppError(
        'DELIVERY_FAILED',
        `Part ${parts.length + 1} could not be delivered: ${sent.refusal}`,
      );
    parts.push({ ...sent, bytes: body.length });
  };
  // One buffer serves all parts.
  const buffer = Buffer.allocUnsafeSlow(partBytes);
  let used = 0;
  for await (const piece of answer as AsyncIterable<Buffer>)
    for (let taken = 0; taken < piece.length; ) {
      const copied = piece.copy(buffer, used, taken);
      taken += copied;
      used += copied;
      if (used < partBytes) continue;
      await upload(buffer);
      used = 0;
    }
  // A store has no upload without a part.
  if (used > 0 || parts.length === 0) await upload(buffer.subarray(0, used));
  buffer.fill(0);
  const bytes = parts.reduce((sum, part) => sum + part.bytes, 0);
  const contentType = answer.headers['content-type'] ?? CONTENT_TYPE;
  return { parts, result: { contentType, bytes, sha256: whole.digest('hex') } };
}
