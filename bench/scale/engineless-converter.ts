/**
 * engineless-converter.ts REDIS_URL REDIS_BLOB_URL
 *
 * A converter without an engine: it takes each job, fetches the document, and answers with a PDF of the usual size at
 * once. So a machine of few cores can send as many jobs as would otherwise need many.
 */

import type { ConversionReport } from '@scriptorium/contracts/jobs/conversion-report';
import { convertJob } from '@scriptorium/contracts/jobs/convert';
import { convertHandler } from '@scriptorium/converter/handler';
import { Secret } from '@scriptorium/shared/config';
import { startJobWorker } from '@scriptorium/shared/queue/worker';
import { openWorkerBackends } from '@scriptorium/shared/queue/worker-backends';
import { unsealer } from '@scriptorium/shared/secrets/unsealer';
import { heavyPdf } from '@scriptorium/testing/fixtures/pdf/documents';

const CONCURRENCY = 16;
/** A small document gives a PDF of one page, any other of ten. */
const ONE_PAGE_BYTES_MAX = 4_000;
const [onePage, tenPages] = [heavyPdf(17_000), heavyPdf(40_000)];
const report: ConversionReport = {
  pages: 1,
  warnings: 0,
  fonts: { missingScripts: [] },
  dropped: { count: 0, items: [] },
  macros: false,
  revisions: { insertions: 0, deletions: 0, moves: 0, formatting: 0, shown: 'markup' },
  comments: { count: 0, shown: 'hide' },
  fields: { updated: 'none', frozen: 0, kinds: {} },
  engine: { name: 'none', attempts: 1 },
  timings: { gateMs: 0, waitMs: 0, engineMs: 0, totalMs: 0 },
};

const [, , queueUrl = '', blobUrl = ''] = process.argv;
const { CONVERTER_JOB_SECRET = '' } = process.env;
const backends = openWorkerBackends(
  { REDIS_URL: new Secret(queueUrl), REDIS_BLOB_URL: new Secret(blobUrl) },
  new Secret(CONVERTER_JOB_SECRET),
);
const handler = convertHandler(
  async ({ length }) => ({
    // A result is overwritten once it is sent.
    bytes: Buffer.from(length <= ONE_PAGE_BYTES_MAX ? onePage : tenPages),
    contentType: 'application/pdf',
    report,
  }),
  backends.blobs,
  unsealer(undefined, 'CONVERTER_JOB_SECRET'),
);
const worker = startJobWorker(convertJob, handler, {
  redis: backends.queue,
  secret: backends.secret,
  concurrency: CONCURRENCY,
  capacity: () => CONCURRENCY,
  engine: () => ({ sandbox: 'enforced' }),
  blobs: backends.blobs,
  events: {
    answered: () => {},
    failed: (_requestId, error) => console.error(error),
    dropped: () => {},
    queueError: (error) => console.error(error),
  },
});
process.once('disconnect', async () => {
  await worker.close();
  await backends.close();
  process.exit();
});
process.send?.('started');
