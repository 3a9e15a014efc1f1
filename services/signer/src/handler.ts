import { getInput, putResult } from '@scriptorium/shared/blob/exchange';
import type { BlobStore } from '@scriptorium/shared/blob/store';
import type { Secret } from '@scriptorium/shared/config';
import { AppError } from '@scriptorium/shared/errors';
import type { signJob } from '@scriptorium/shared/jobs/sign';
import type { PublicSigningKey, signingKeyJob } from '@scriptorium/shared/jobs/signing-key';
import type { JobHandler } from '@scriptorium/shared/queue/job-handler';
import { open } from '@scriptorium/shared/secrets/sealed-box';
import { type CallerKey, callerKey, signing } from '@scriptorium/signatures/sign-request';
import type { z } from 'zod';
import type { SignThreads } from './sign-threads.ts';

/** Decrypts a sealed key of a request. Throws AppError. */
export type Unseal = (requestId: string, box: string) => Buffer;

/** Throws INTERNAL_ERROR if this signer cannot open the gateway's boxes, which is a configuration error. */
export function unsealer(secret: Secret | undefined): Unseal {
  return (requestId, box) => {
    try {
      if (secret === undefined) throw new Error('SIGNER_SECRET is not set');
      return open(secret, requestId, box);
    } catch (cause) {
      throw new AppError('INTERNAL_ERROR', 'The key of the request could not be opened.', { cause });
    }
  };
}

/** Fetches the document and the request, signs, and stores the signed document and the reply for the gateway. */
export function signHandler(
  threads: Pick<SignThreads, 'sign'>,
  blobs: BlobStore,
  unseal: Unseal,
): JobHandler<z.output<typeof signJob.input>, z.input<typeof signJob.output>> {
  return async (input, { requestId, deadlineAt, signal }) => {
    const startedAt = performance.now();
    const [source, body, images] = await Promise.all([
      getInput(blobs, input.source),
      getInput(blobs, input.request),
      input.images === undefined ? Buffer.alloc(0) : getInput(blobs, input.images),
    ]);
    const request = signing.parse(JSON.parse(body.toString()));
    const { key } = request;
    const sent: CallerKey | undefined =
      key.kind === 'sealed' ? callerKey.parse(JSON.parse(unseal(requestId, key.box).toString())) : undefined;
    const signed = await threads.sign({ source, signing: request, images, callerKey: sent }, signal);
    const result = await putResult(blobs, requestId, signed.bytes, deadlineAt);
    const reply = await putResult(blobs, requestId, Buffer.from(JSON.stringify(signed.reply)), deadlineAt);
    return {
      output: {
        result,
        reply,
        contentType: signed.contentType,
        runMs: performance.now() - startedAt,
      },
      blobs: [result.key, reply.key],
    };
  };
}

export function signingKeyHandler(
  key: PublicSigningKey,
): JobHandler<z.output<typeof signingKeyJob.input>, z.input<typeof signingKeyJob.output>> {
  return async () => ({ output: key, blobs: [] });
}
