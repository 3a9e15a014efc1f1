import type { BlobStore } from '@scriptorium/shared/blob/store';
import { createFetcher } from '@scriptorium/shared/fetch/fetcher';
import { MERGED_DOCUMENTS_MAX } from '@scriptorium/shared/jobs/merge';
import { fetchCounter, reportingFetcher } from '@scriptorium/shared/metrics/fetch-metrics';
import type { Metrics } from '@scriptorium/shared/metrics/metrics';
import type { JobDefinition } from '@scriptorium/shared/queue/define-job';
import type { z } from 'zod';
import type { Backends } from '../backends.ts';
import type { GatewayConfig } from '../config.ts';
import type { Middleware } from '../context.ts';
import type { JobClients } from '../job-clients.ts';
import type { ByteBudget } from '../middleware/byte-budget.ts';
import { BODY_BOUNDS, DATA_BOUNDS } from '../middleware/json-bounds.ts';
import { receiveEither } from '../middleware/receive-either.ts';
import { receiveFiles } from '../middleware/receive-files.ts';
import { receiveJson } from '../middleware/receive-json.ts';
import { passwordSealingWith, type SealPassword } from '../requests/document-password.ts';
import type { Loading } from '../requests/load-request.ts';
import { type SealKey, sealingWith } from '../requests/signing.ts';
import { tracedFetcher } from './traced-fetcher.ts';

/** Room for everything but the documents in a JSON body with several. */
const JSON_OVERHEAD_BYTES = 64 * 1024;

/** The parts that all document operations share. */
export interface DocumentParts {
  clients: JobClients;
  blobs: BlobStore;
  /** Throws UNAVAILABLE while the Redis servers are down or not configured for documents. */
  checkStores(): Promise<void>;
  /** Returns whether the workers of all these jobs find near blobs. */
  findNear(jobs: readonly JobDefinition<z.ZodType, z.ZodType>[]): Promise<boolean>;
  queueWaitMsMax: number;
  /**
   * Reads a body: JSON, JSON with data of the caller, a multipart form with one file, or JSON or a form by content type.
   * `documents` reads JSON or a form with several files.
   */
  receive: Record<'json' | 'data' | 'file' | 'either' | 'documents', Middleware>;
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
  const fileBytesMax = config.UPLOAD_BYTES_MAX;
  const file = receiveFiles({ filesMax: 1, fileBytesMax, bytesMax: fileBytesMax, texts: [] }, budget);
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
    receive: {
      json,
      data,
      file,
      either: receiveEither(json, file, 'one file part'),
      documents: receiveDocuments(config, budget),
    },
    loading: {
      fetcher: tracedFetcher(reportingFetcher(createFetcher(config), fetchCounter(metrics))),
      budget,
      limits: {
        uploadBytesMax: config.UPLOAD_BYTES_MAX,
        imageBytesMax: config.IMAGE_BYTES_MAX,
        imagesBytesMax: config.IMAGES_BYTES_MAX,
        mergeBytesMax: config.MERGE_BYTES_MAX,
      },
    },
    seal: sealingWith(config.SIGNER_SECRET),
    sealPassword: {
      signer: passwordSealingWith(config.SIGNER_SECRET, 'SIGNER_SECRET'),
      verifier: passwordSealingWith(config.VERIFIER_SECRET, 'VERIFIER_SECRET'),
    },
  };
}

/** Base64 adds a third to the size of the documents. */
function receiveDocuments(config: GatewayConfig, budget: ByteBudget): Middleware {
  const bytesMax = config.MERGE_BYTES_MAX;
  const jsonBytesMax = Math.max(config.JSON_BYTES_MAX, Math.ceil(bytesMax / 3) * 4 + JSON_OVERHEAD_BYTES);
  const bounds = {
    filesMax: MERGED_DOCUMENTS_MAX,
    fileBytesMax: Math.min(config.UPLOAD_BYTES_MAX, bytesMax),
    bytesMax,
    texts: ['options'],
  };
  return receiveEither(
    receiveJson(jsonBytesMax, budget, BODY_BOUNDS),
    receiveFiles(bounds, budget),
    `1 to ${MERGED_DOCUMENTS_MAX} file parts`,
  );
}
