import type { BlobStore } from '@scriptorium/shared/blob/store';
import { createFetcher } from '@scriptorium/shared/fetch/fetcher';
import { fetchCounter, reportingFetcher } from '@scriptorium/shared/metrics/fetch-metrics';
import type { Metrics } from '@scriptorium/shared/metrics/metrics';
import type { JobDefinition } from '@scriptorium/shared/queue/define-job';
import { tracedFetcher } from '@scriptorium/shared/tracing/traced-fetcher';
import type { z } from 'zod';
import type { Backends } from '../backends.ts';
import type { GatewayConfig } from '../config.ts';
import type { Middleware } from '../context.ts';
import type { JobClients } from '../job-clients.ts';
import type { ByteBudget } from '../middleware/byte-budget.ts';
import { BODY_BOUNDS, DATA_BOUNDS } from '../middleware/json-bounds.ts';
import { receiveEither } from '../middleware/receive-either.ts';
import { receiveFile } from '../middleware/receive-file.ts';
import { receiveJson } from '../middleware/receive-json.ts';
import { passwordSealingWith, type SealPassword } from '../requests/document-password.ts';
import type { Loading } from '../requests/load-request.ts';
import { type SealKey, sealingWith } from '../requests/signing.ts';

/** The parts that all document operations share. */
export interface DocumentParts {
  clients: JobClients;
  blobs: BlobStore;
  /** Throws UNAVAILABLE while the Redis servers are down or not configured for documents. */
  checkStores(): Promise<void>;
  /** Returns whether the workers of all these jobs find near blobs. */
  findNear(jobs: readonly JobDefinition<z.ZodType, z.ZodType>[]): Promise<boolean>;
  queueWaitMsMax: number;
  /** Reads a body: JSON, JSON with data of the caller, a multipart form with one file, or JSON or a form by content type. */
  receive: Record<'json' | 'data' | 'file' | 'either', Middleware>;
  loading: Loading;
  seal: SealKey;
  /** Seals the password of a document, for the signer or the verifier. */
  sealPassword: { signer: SealPassword; verifier: SealPassword };
}

export function documentParts(
  config: GatewayConfig,
  backends: Backends,
  clients: JobClients,
  budget: ByteBudget,
  metrics: Metrics,
): DocumentParts {
  const json = receiveJson(config.JSON_BYTES_MAX, budget, BODY_BOUNDS);
  const data = receiveJson(config.JSON_BYTES_MAX, budget, DATA_BOUNDS);
  const file = receiveFile('file', config.UPLOAD_BYTES_MAX, budget);
  return {
    clients,
    blobs: backends.blobs,
    checkStores: backends.ensureStores,
    async findNear(jobs) {
      if (backends.hasOneStore) return true;
      const censuses = jobs.map((job) => clients.of(job).shedder.recentCensus());
      return await Promise.all(censuses).then(
        (found) => found.every(({ near }) => near),
        () => false,
      );
    },
    queueWaitMsMax: config.QUEUE_WAIT_MS_MAX,
    receive: { json, data, file, either: receiveEither(json, file) },
    loading: {
      fetcher: tracedFetcher(reportingFetcher(createFetcher(config), fetchCounter(metrics))),
      budget,
      limits: {
        uploadBytesMax: config.UPLOAD_BYTES_MAX,
        imageBytesMax: config.IMAGE_BYTES_MAX,
        imagesBytesMax: config.IMAGES_BYTES_MAX,
      },
    },
    seal: sealingWith(config.SIGNER_SECRET),
    sealPassword: {
      signer: passwordSealingWith(config.SIGNER_SECRET, 'SIGNER_SECRET'),
      verifier: passwordSealingWith(config.VERIFIER_SECRET, 'VERIFIER_SECRET'),
    },
  };
}
