import type { BlobRef } from '@scriptorium/contracts/define-job';
import type { augmentJob } from '@scriptorium/contracts/jobs/augment';
import { signJob, type signRequest } from '@scriptorium/contracts/jobs/sign';
import type { PublicSigningKey, signingKeyJob } from '@scriptorium/contracts/jobs/signing-key';
import { WorkerKeys } from '@scriptorium/sealing/job-keys';
import type { Secrets } from '@scriptorium/sealing/secret-bytes';
import { getInput, onOwnBytes } from '@scriptorium/shared/blob/exchange';
import type { BlobStore } from '@scriptorium/shared/blob/store';
import type { JobHandler } from '@scriptorium/shared/queue/job-handler';
import type { Unseal } from '@scriptorium/shared/secrets/unsealer';
import { augmentation } from '@scriptorium/signatures/augment-request';
import { type CallerKey, callerKey, type SigningKey, signing } from '@scriptorium/signatures/sign-request';
import type { z } from 'zod';
import type { SignTask } from './sign-thread.ts';
import type { SignThreads } from './sign-threads.ts';

type SignRequest = z.output<typeof signRequest>;

/** What only signers can open. */
export interface Opening {
  unseal: Unseal;
  /** Opens a reference that other workers have carried. Throws if the gateway did not seal it for this request or batch. */
  openRef(sealedFor: string, ref: BlobRef): BlobRef;
}

/** `secret` is the one of the jobs. Without it, references are as they are. */
export function openRefWith(secret: Secrets | undefined): Opening['openRef'] {
  if (secret === undefined) return (_sealedFor, ref) => ref;
  const keys = new WorkerKeys(secret, signJob.name);
  return (sealedFor, { boxed = '', key, bytes }) => ({
    key,
    bytes,
    seal: keys.openBlobKey(sealedFor, boxed),
  });
}

/** Fetches the document and the request, signs, and keeps the signed document and the reply for the gateway. */
export function signHandler(
  threads: Pick<SignThreads, 'sign'>,
  blobs: BlobStore,
  opening: Opening,
): JobHandler<z.output<typeof signJob.input>, z.input<typeof signJob.output>> {
  return async (input, { requestId, signal, keep }) => {
    const startedAt = performance.now();
    const [source, request] = await Promise.all([
      getInput(blobs, input.source),
      readRequest(blobs, opening, input, requestId),
    ]);
    const own = [source, request.images];
    const signed = await onOwnBytes(own, () => threads.sign({ source, ...request }, signal));
    return { output: { ...kept(signed, keep), runMs: performance.now() - startedAt } };
  };
}

/** Fetches the document and the request, augments, and keeps the document and the reply for the gateway. */
export function augmentHandler(
  threads: Pick<SignThreads, 'augment'>,
  blobs: BlobStore,
  { unseal }: Pick<Opening, 'unseal'>,
): JobHandler<z.output<typeof augmentJob.input>, z.input<typeof augmentJob.output>> {
  return async (input, { requestId, signal, keep }) => {
    const startedAt = performance.now();
    const [source, json] = await Promise.all([getInput(blobs, input.source), getInput(blobs, input.request)]);
    const request = augmentation.parse(JSON.parse(json.toString()));
    const { passwordBox } = request;
    const password = passwordBox === undefined ? undefined : unseal(requestId, passwordBox).toString();
    const task = { source, augmentation: request, password };
    const augmented = await onOwnBytes([source], () => threads.augment(task, signal));
    return { output: { ...kept(augmented, keep), runMs: performance.now() - startedAt } };
  };
}

/** The signature of a digest has no document beside its reply: a reply that is not read would stay until it expires. */
function kept<Ref>(
  { bytes, reply, contentType }: { bytes: Buffer; reply: object; contentType: string },
  keep: (bytes: Buffer) => Ref,
) {
  const result = keep(bytes);
  const isReply = contentType === 'application/json';
  return { result, reply: isReply ? result : keep(Buffer.from(JSON.stringify(reply))), contentType };
}

/**
 * Fetches what to do with a document. `sealedFor` is the id for which the gateway sealed it, the key and the password. Throws
 * UNAVAILABLE if the store lost it.
 */
export async function readRequest(
  blobs: BlobStore,
  { unseal, openRef }: Opening,
  { request: body, images }: SignRequest,
  sealedFor: string,
): Promise<Omit<SignTask, 'source'>> {
  const [json, pictures] = await Promise.all([
    getInput(blobs, openRef(sealedFor, body)),
    images === undefined ? Buffer.alloc(0) : getInput(blobs, openRef(sealedFor, images)),
  ]);
  const request = signing.parse(JSON.parse(json.toString()));
  const { key, signatures = [], passwordBox } = request;
  const opened = (box: string): string => unseal(sealedFor, box).toString();
  const sent = (from: SigningKey | undefined): CallerKey | undefined =>
    from?.kind === 'sealed' ? callerKey.parse(JSON.parse(opened(from.box))) : undefined;
  const password = passwordBox === undefined ? undefined : opened(passwordBox);
  const callerKeys = signatures.map((one) => sent(one.key));
  return { signing: request, images: pictures, callerKey: sent(key), callerKeys, password };
}

export function signingKeyHandler(
  key: PublicSigningKey,
): JobHandler<z.output<typeof signingKeyJob.input>, z.input<typeof signingKeyJob.output>> {
  return async () => ({ output: key });
}
