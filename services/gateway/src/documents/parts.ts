import type { BlobRef } from '@scriptorium/contracts/define-job';
import { MERGED_DOCUMENTS_MAX } from '@scriptorium/contracts/jobs/merge';
import type { signRequest } from '@scriptorium/contracts/jobs/sign';
import type { BlobStore } from '@scriptorium/shared/blob/store';
import { createFetcher } from '@scriptorium/shared/fetch/fetcher';
import { fetchCounter, reportingFetcher } from '@scriptorium/shared/metrics/fetch-metrics';
import type { Metrics } from '@scriptorium/shared/metrics/metrics';
import type { z } from 'zod';
import type { Backends } from '../backends/backends.ts';
import type { JobClients } from '../backends/job-clients.ts';
import type { Middleware } from '../http/context.ts';
import type { ByteBudget } from '../middleware/byte-budget.ts';
import { BODY_BOUNDS, DATA_BOUNDS } from '../middleware/json-bounds.ts';
import { receiveEither } from '../middleware/receive-either.ts';
import { receiveFiles } from '../middleware/receive-files.ts';
import { receiveJson } from '../middleware/receive-json.ts';
import { ATTACHMENTS_MAX } from '../requests/convert-request.ts';
import { passwordSealingWith, type SealPassword } from '../requests/document-password.ts';
import { fetcherForOwners } from '../requests/fetcher-for-owners.ts';
import { EMBEDS, INVOICE } from '../requests/gotenberg-finishing.ts';
import { FORM_FIELDS } from '../requests/gotenberg-form.ts';
import type { Loading } from '../requests/load-request.ts';
import { type SealKey, sealingWith } from '../requests/signing.ts';
import { type GatewayConfig, jobKeysOf } from '../settings/config.ts';
import { tracedFetcher } from './traced-fetcher.ts';
import { REQUEST_PART } from './upload.ts';

/** Room for everything but the documents in a JSON body with several. */
const JSON_OVERHEAD_BYTES = 64 * 1024;
const OPTIONS_BYTES_MAX = 16 * 1024;
/** The XML of an invoice, which has no pictures. */
const INVOICE_BYTES_MAX = 1024 * 1024;

/** The parts that all document operations share. */
export interface DocumentParts {
  clients: JobClients;
  blobs: BlobStore;
  /** Throws UNAVAILABLE while the Redis servers are down or not configured for documents. */
  checkStores(): Promise<void>;
  queueWaitMsMax: number;
  /**
   * Reads a body by its content type: JSON, or a form with one file and a part `request` with JSON. `data` permits data of the
   * caller in the JSON. A form of `file` has no other part, and one of `documents` several files. `lines` reads JSON only, and
   * `gotenberg` the form of Gotenberg only.
   */
  receive: Record<'json' | 'data' | 'documents' | 'lines' | 'gotenberg', Middleware>;
  loading: Loading;
  seal: SealKey;
  /** Returns what to sign with in a form that only signers can read; other workers carry it. `id` is of the request or batch. */
  forSigner(id: string, request: BlobRef, images: BlobRef | undefined): z.input<typeof signRequest>;
  /** Seals passwords of documents, each for one kind of worker. */
  sealPassword: Record<'signer' | 'verifier' | 'converter' | 'annotator', SealPassword>;
}

export function documentParts(
  config: GatewayConfig,
  backends: Backends,
  clients: JobClients,
  budget: ByteBudget,
  metrics: Metrics,
): DocumentParts {
  const keys = jobKeysOf(config);
  const json = receiveJson(config.JSON_BYTES_MAX, budget, BODY_BOUNDS);
  const data = receiveJson(config.JSON_BYTES_MAX, budget, DATA_BOUNDS);
  const fileBytesMax = config.UPLOAD_BYTES_MAX;
  const texts = new Map([[REQUEST_PART, config.JSON_BYTES_MAX]]);
  const form = receiveFiles({ filesMax: 1, fileBytesMax, bytesMax: fileBytesMax, texts }, budget);
  return {
    clients,
    blobs: backends.blobs,
    checkStores: backends.ensureStores,
    queueWaitMsMax: config.QUEUE_WAIT_MS_MAX,
    receive: {
      json: receiveEither(json, form, 'one file part'),
      data: receiveEither(data, form, 'one file part'),
      documents: receiveDocuments(config, budget),
      lines: data,
      gotenberg: receiveFiles(
        {
          ...documentBounds(config),
          field: 'files',
          more: { field: EMBEDS, filesMax: ATTACHMENTS_MAX },
          texts: new Map([
            ...FORM_FIELDS.map((name) => [name, OPTIONS_BYTES_MAX] as const),
            [INVOICE, INVOICE_BYTES_MAX],
          ]),
        },
        budget,
      ),
    },
    loading: {
      fetcherOf: fetcherForOwners(
        tracedFetcher(reportingFetcher(createFetcher(config), fetchCounter(metrics))),
        config.KEY_FETCHES_MAX,
      ),
      budget,
      limits: {
        uploadBytesMax: config.UPLOAD_BYTES_MAX,
        imageBytesMax: config.IMAGE_BYTES_MAX,
        imagesBytesMax: config.IMAGES_BYTES_MAX,
        mergeBytesMax: config.MERGE_BYTES_MAX,
      },
    },
    seal: sealingWith(config.SIGNER_SECRET),
    forSigner(id, request, images) {
      const boxed = ({ seal = '', ...ref }: BlobRef): BlobRef =>
        keys === undefined ? { ...ref, seal } : { ...ref, boxed: keys.sealBlobKey('signer', id, seal) };
      return { request: boxed(request), images: images && boxed(images) };
    },
    sealPassword: {
      signer: passwordSealingWith(config.SIGNER_SECRET, 'SIGNER_SECRET'),
      verifier: passwordSealingWith(config.VERIFIER_SECRET, 'VERIFIER_SECRET'),
      converter: passwordSealingWith(config.CONVERTER_JOB_SECRET, 'CONVERTER_JOB_SECRET'),
      annotator: passwordSealingWith(config.ANNOTATOR_JOB_SECRET, 'ANNOTATOR_JOB_SECRET'),
    },
  };
}

/** Base64 adds a third to the size of the documents. */
function receiveDocuments(config: GatewayConfig, budget: ByteBudget): Middleware {
  const { bytesMax, ...more } = documentBounds(config);
  const jsonBytesMax = Math.max(config.JSON_BYTES_MAX, Math.ceil(bytesMax / 3) * 4 + JSON_OVERHEAD_BYTES);
  const bounds = { ...more, bytesMax, texts: new Map([['options', OPTIONS_BYTES_MAX]]) };
  return receiveEither(
    receiveJson(jsonBytesMax, budget, BODY_BOUNDS),
    receiveFiles(bounds, budget),
    `1 to ${MERGED_DOCUMENTS_MAX} file parts`,
  );
}

/** The bounds of a form with several documents. */
function documentBounds({ MERGE_BYTES_MAX: bytesMax, UPLOAD_BYTES_MAX }: GatewayConfig) {
  return {
    filesMax: MERGED_DOCUMENTS_MAX,
    fileBytesMax: Math.min(UPLOAD_BYTES_MAX, bytesMax),
    bytesMax,
  };
}
