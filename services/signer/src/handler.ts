import { getInput } from '@scriptorium/shared/blob/exchange';
import type { BlobStore } from '@scriptorium/shared/blob/store';
import type { signJob } from '@scriptorium/shared/jobs/sign';
import type { PublicSigningKey, signingKeyJob } from '@scriptorium/shared/jobs/signing-key';
import type { JobHandler } from '@scriptorium/shared/queue/job-handler';
import type { Unseal } from '@scriptorium/shared/secrets/unsealer';
import { type CallerKey, callerKey, signing } from '@scriptorium/signatures/sign-request';
import type { z } from 'zod';
import type { SignThreads } from './sign-threads.ts';

/** Fetches the document and the request, signs, and keeps the signed document and the reply for the gateway. */
export function signHandler(
  threads: Pick<SignThreads, 'sign'>,
  blobs: BlobStore,
  unseal: Unseal,
): JobHandler<z.output<typeof signJob.input>, z.input<typeof signJob.output>> {
  return async (input, { requestId, signal, keep }) => {
    const startedAt = performance.now();
    const [source, body, images] = await Promise.all([
      getInput(blobs, input.source),
      getInput(blobs, input.request),
      input.images === undefined ? Buffer.alloc(0) : getInput(blobs, input.images),
    ]);
    const request = signing.parse(JSON.parse(body.toString()));
    const { key, passwordBox } = request;
    const sent: CallerKey | undefined =
      key.kind === 'sealed' ? callerKey.parse(JSON.parse(unseal(requestId, key.box).toString())) : undefined;
    const password = passwordBox === undefined ? undefined : unseal(requestId, passwordBox).toString();
    const task = { source, signing: request, images, callerKey: sent, password };
    const signed = await threads.sign(task, signal);
    return {
      output: {
        result: keep(signed.bytes),
        reply: keep(Buffer.from(JSON.stringify(signed.reply))),
        contentType: signed.contentType,
        runMs: performance.now() - startedAt,
      },
    };
  };
}

export function signingKeyHandler(
  key: PublicSigningKey,
): JobHandler<z.output<typeof signingKeyJob.input>, z.input<typeof signingKeyJob.output>> {
  return async () => ({ output: key });
}
