import { convertOptions } from '@scriptorium/contracts/jobs/convert';
import { MERGED_DOCUMENTS_MAX } from '@scriptorium/contracts/jobs/merge';
import { FIELDS_MAX } from '@scriptorium/docx-template/fields';
import { z } from 'zod';
import { ROWS_MAX } from '../batches/start-batch.ts';
import type { Route } from '../http/route.ts';
import { AUDIT_EVENTS_MAX } from '../requests/audit-trail.ts';
import { LISTED_ROWS_MAX } from '../requests/batch-request.ts';
import { FETCHES_MAX } from '../requests/load-images.ts';
import type { GatewayConfig } from '../settings/config.ts';

const CACHE_SECONDS = 300;

/** The settings of which callers learn. */
export type LimitSettings = Pick<
  GatewayConfig,
  | 'UPLOAD_BYTES_MAX'
  | 'JSON_BYTES_MAX'
  | 'IMAGE_BYTES_MAX'
  | 'IMAGES_BYTES_MAX'
  | 'MERGE_BYTES_MAX'
  | 'DEADLINE_MS'
  | 'BATCH_DEADLINE_MS'
  | 'KEY_CONCURRENCY_MAX'
  | 'KEY_REQUESTS_PER_MINUTE_MAX'
  | 'KEY_ROWS_PER_MINUTE_MAX'
>;

const { from: SOURCES, to: TARGETS } = convertOptions.shape;
const WORD_OR_PDF = ['docx', 'pdf'] as const;

const formats = z.strictObject({ from: z.array(z.string()), to: z.array(z.string()) });
const count = z.int().positive();

const limits = z
  .strictObject({
    formats: z
      .strictObject({
        convert: formats,
        annotate: formats,
        generate: formats,
        merge: formats,
        sign: formats,
        verify: formats.pick({ from: true }),
      })
      .describe('The formats that each operation reads and makes'),
    sizes: z.strictObject({
      documentBytesMax: count.describe('A document: uploaded, decoded or fetched'),
      jsonBytesMax: count.describe('A JSON body, or the part `request` of a form'),
      imageBytesMax: count.describe('The image of a field'),
      imagesBytesMax: count.describe('All images of a request'),
      mergedBytesMax: count.describe('All documents of a merge'),
    }),
    counts: z.strictObject({
      fieldsMax: count.describe('Entries of `fields`'),
      imageUrlsMax: count.describe('Distinct URLs of images in a request'),
      mergedDocumentsMax: count.describe('Documents of a merge'),
      listedRowsMax: count.describe('Rows of a batch in a JSON body'),
      streamedRowsMax: count.describe('Rows of a batch as `application/x-ndjson`'),
      auditEventsMax: count.describe('Events of an audit trail'),
    }),
    times: z.strictObject({
      requestMsMax: count.describe('From the request to the answer'),
      batchMsMax: count.describe('For a batch that is answered with one PDF'),
    }),
    rates: z
      .strictObject({ requestsInFlightMax: count, requestsPerMinuteMax: count, rowsPerMinuteMax: count })
      .describe('Per API key'),
  })
  .meta({ id: 'Limits' });

/** The route with the formats and limits of this service, for clients that check before they send. */
export function limitsRoute(settings: LimitSettings): Route {
  return {
    operationId: 'getLimits',
    method: 'get',
    path: '/v1/limits',
    access: 'public',
    tag: 'System',
    summary: 'The formats and limits of the service',
    success: [{ description: 'The formats and limits', contentType: 'application/json', schema: limits }],
    errors: [],
    handle(_request, response) {
      response.setHeader('Cache-Control', `public, max-age=${CACHE_SECONDS}`);
      response.json(limitsOf(settings));
    },
  };
}

function limitsOf(settings: LimitSettings): z.output<typeof limits> {
  const ofTemplate = { from: ['docx'], to: [...WORD_OR_PDF] };
  const ofEither = { from: [...WORD_OR_PDF], to: [...WORD_OR_PDF] };
  return {
    formats: {
      convert: { from: SOURCES.options, to: TARGETS.unwrap().options },
      annotate: ofTemplate,
      generate: ofTemplate,
      merge: ofEither,
      sign: ofEither,
      verify: { from: [...WORD_OR_PDF] },
    },
    sizes: {
      documentBytesMax: settings.UPLOAD_BYTES_MAX,
      jsonBytesMax: settings.JSON_BYTES_MAX,
      imageBytesMax: settings.IMAGE_BYTES_MAX,
      imagesBytesMax: settings.IMAGES_BYTES_MAX,
      mergedBytesMax: settings.MERGE_BYTES_MAX,
    },
    counts: {
      fieldsMax: FIELDS_MAX,
      imageUrlsMax: FETCHES_MAX,
      mergedDocumentsMax: MERGED_DOCUMENTS_MAX,
      listedRowsMax: LISTED_ROWS_MAX,
      streamedRowsMax: ROWS_MAX,
      auditEventsMax: AUDIT_EVENTS_MAX,
    },
    times: { requestMsMax: settings.DEADLINE_MS, batchMsMax: settings.BATCH_DEADLINE_MS },
    rates: {
      requestsInFlightMax: settings.KEY_CONCURRENCY_MAX,
      requestsPerMinuteMax: settings.KEY_REQUESTS_PER_MINUTE_MAX,
      rowsPerMinuteMax: settings.KEY_ROWS_PER_MINUTE_MAX,
    },
  };
}
