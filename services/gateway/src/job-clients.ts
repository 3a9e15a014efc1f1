import { createFetcher } from '@scriptorium/shared/fetch/fetcher';
import { annotateJob } from '@scriptorium/shared/jobs/annotate';
import { convertJob } from '@scriptorium/shared/jobs/convert';
import { inspectJob } from '@scriptorium/shared/jobs/inspect';
import { signJob } from '@scriptorium/shared/jobs/sign';
import { signingKeyJob } from '@scriptorium/shared/jobs/signing-key';
import { verifyJob } from '@scriptorium/shared/jobs/verify';
import type { Closeable } from '@scriptorium/shared/lifecycle';
import { fetchCounter, reportingFetcher } from '@scriptorium/shared/metrics/fetch-metrics';
import type { Metrics } from '@scriptorium/shared/metrics/metrics';
import { createJobClient } from '@scriptorium/shared/queue/client';
import type { JobDefinition } from '@scriptorium/shared/queue/define-job';
import { openReplyInbox } from '@scriptorium/shared/queue/reply-inbox';
import { countWorkers } from '@scriptorium/shared/queue/workers';
import { tracedFetcher } from '@scriptorium/shared/tracing/traced-fetcher';
import type { z } from 'zod';
import type { Backends } from './backends.ts';
import type { GatewayConfig } from './config.ts';
import type { GatewayEvents } from './events.ts';
import { createLoadShedder } from './load-shedding.ts';
import type { ByteBudget } from './middleware/byte-budget.ts';
import { rateLimitClient } from './middleware/rate-limit-client.ts';
import { receiveEither } from './middleware/receive-either.ts';
import { receiveFile } from './middleware/receive-file.ts';
import { receiveJson } from './middleware/receive-json.ts';
import type { Loading } from './requests/load-request.ts';
import { sealingWith } from './requests/signing.ts';
import type { AnnotateParts } from './routes/annotate.ts';
import type { ConvertParts } from './routes/convert.ts';
import type { InspectParts } from './routes/inspect.ts';
import type { SignParts } from './routes/sign.ts';
import type { SigningKeyRouteParts } from './routes/signing-key.ts';
import type { VerifyParts } from './routes/verify.ts';
import { createSigningKeyReader } from './signing-key.ts';

/** What the routes need whose answers come from workers, by their names in `RouteParts`. */
export interface JobClients extends Closeable {
  convert: ConvertParts;
  annotate: AnnotateParts;
  inspect: InspectParts;
  sign: SignParts;
  verify: VerifyParts;
  signingKey: SigningKeyRouteParts;
}

/** The queues that this gateway's jobs go into, or that a worker hands them on to. */
export const JOB_QUEUES = [convertJob, annotateJob, inspectJob, signJob, verifyJob, signingKeyJob].map(
  ({ name }) => name,
);

/** One client and one load shedder a kind of job; one inbox and one fetcher for all. */
export function openJobClients(
  config: GatewayConfig,
  backends: Backends,
  budget: ByteBudget,
  events: GatewayEvents,
  metrics: Metrics,
): JobClients {
  const open = opener(config, backends, events);
  const shared = {
    blobs: backends.blobs,
    checkStores: backends.ensureStores,
    queueWaitMsMax: config.QUEUE_WAIT_MS_MAX,
  };
  const loading: Loading = {
    fetcher: tracedFetcher(reportingFetcher(createFetcher(config), fetchCounter(metrics))),
    budget,
    limits: {
      uploadBytesMax: config.UPLOAD_BYTES_MAX,
      imageBytesMax: config.IMAGE_BYTES_MAX,
      imagesBytesMax: config.IMAGES_BYTES_MAX,
    },
  };
  const receive = receiveJson(config.JSON_BYTES_MAX, budget);
  const receiveUpload = receiveFile('file', config.UPLOAD_BYTES_MAX, budget);
  const conversion = open.client(convertJob);
  return {
    convert: { ...shared, ...conversion, receive: receiveUpload },
    annotate: {
      ...shared,
      ...open.client(annotateJob),
      conversionShedder: conversion.shedder,
      loading,
      receive,
    },
    inspect: { ...shared, ...open.client(inspectJob), loading, receive },
    sign: {
      ...shared,
      ...open.client(signJob),
      conversions: conversion.jobs,
      conversionShedder: conversion.shedder,
      loading,
      receive,
      seal: sealingWith(config.SIGNER_SECRET),
    },
    verify: {
      ...shared,
      ...open.client(verifyJob),
      loading,
      receive: receiveEither(receive, receiveUpload),
    },
    signingKey: {
      readKey: createSigningKeyReader(open.client(signingKeyJob)),
      rateLimit: rateLimitClient(backends.queue, config.SIGNING_KEY_READS_PER_HOUR_MAX, 'signing-key'),
    },
    close: open.close,
  };
}

function opener(config: GatewayConfig, backends: Backends, events: GatewayEvents) {
  const removeBlobs = (names: string[]) => backends.blobs.remove(names);
  const inbox = openReplyInbox({
    redis: backends.patientQueue.duplicate(),
    removeBlobs,
    onError: events.queueError,
  });
  const opened: Closeable[] = [];
  return {
    client<Input extends z.ZodType, Output extends z.ZodType>(definition: JobDefinition<Input, Output>) {
      const jobs = createJobClient(definition, { redis: backends.queue, inbox, removeBlobs });
      opened.push(jobs);
      const shedder = createLoadShedder({
        waiting: jobs.waiting,
        countWorkers: () => countWorkers(backends.queue, definition.name),
        limits: { queueLengthMax: config.QUEUE_LENGTH_MAX, queueWaitMsMax: config.QUEUE_WAIT_MS_MAX },
      });
      return { jobs, shedder };
    },
    async close() {
      await Promise.all(opened.map((jobs) => jobs.close()));
      await inbox.close();
    },
  };
}
