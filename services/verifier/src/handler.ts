import { EU_TRUST, type verifyJob } from '@scriptorium/contracts/jobs/verify';
import { getInput, onOwnBytes } from '@scriptorium/shared/blob/exchange';
import type { BlobStore } from '@scriptorium/shared/blob/store';
import type { JobHandler } from '@scriptorium/shared/queue/job-handler';
import type { Unseal } from '@scriptorium/shared/secrets/unsealer';
import { verification } from '@scriptorium/signatures/verify-report';
import type { z } from 'zod';
import type { ServiceCertificate } from './service-certificate.ts';
import type { TrustedListSource } from './trusted-lists.ts';
import type { VerifyThreads } from './verify-threads.ts';

/** Fetches the document and the request, verifies, and keeps the report for the gateway. */
export function verifyHandler(
  threads: Pick<VerifyThreads, 'verify'>,
  blobs: BlobStore,
  certificate: Pick<ServiceCertificate, 'current'>,
  unseal: Unseal,
  trustedLists?: Pick<TrustedListSource, 'current'>,
): JobHandler<z.output<typeof verifyJob.input>, z.input<typeof verifyJob.output>> {
  return async (input, { requestId, signal, keep }) => {
    const startedAt = performance.now();
    const [source, body, serviceCertificate] = await Promise.all([
      getInput(blobs, input.source),
      getInput(blobs, input.request),
      certificate.current(),
    ]);
    const request = verification.parse(JSON.parse(body.toString()));
    const { passwordBox } = request;
    const password = passwordBox === undefined ? undefined : unseal(requestId, passwordBox).toString();
    const lists = request.trust.profile === EU_TRUST ? trustedLists?.current() : undefined;
    const task = { source, verification: request, serviceCertificate, lists, password };
    const { contentType, bytes } = await onOwnBytes([source], () => threads.verify(task, signal));
    return { output: { reply: keep(bytes), contentType, runMs: performance.now() - startedAt } };
  };
}
