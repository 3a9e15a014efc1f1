import { AppError } from '@scriptorium/contracts/errors';
import { convertRowsJob, fillRowsJob, joinRowsJob, signRowsJob } from '@scriptorium/contracts/jobs/rows';
import { DETAILS_MAX, invalid, validate } from '@scriptorium/shared/http/validation';
import type { Request } from 'express';
import type { z } from 'zod';
import { batchLine } from '../batches/batch-answer.ts';
import type { BatchParts } from '../batches/batch-parts.ts';
import { optionsFor, outputFor, outputForm } from '../batches/outputs.ts';
import { receiveBatch, receiveDeferred, receiveListed } from '../batches/receive-batch.ts';
import { startBatch } from '../batches/start-batch.ts';
import { batchFields, type Deferral } from '../deferred/fields.ts';
import { errorsOf } from '../documents/error-groups.ts';
import type { Handler, Middleware } from '../http/context.ts';
import type { Route } from '../http/route.ts';
import {
  addressedBatch,
  type BatchHead,
  batchHead,
  batchQuery,
  batchRequest,
  batchRow,
  type OutputForm,
  rowsAddress,
} from '../requests/batch-request.ts';

const LINES_TYPE = 'application/x-ndjson';

export const BATCH_JOBS = [fillRowsJob, convertRowsJob, signRowsJob, joinRowsJob];

/** The route that makes many documents of one template. */
export function batchRoute(parts: BatchParts): Route {
  return {
    operationId: 'createBatch',
    method: 'post',
    path: '/v1/batches',
    access: 'key',
    deferral: DEFERRAL,
    tag: 'Documents',
    summary: 'Make many documents from one template',
    description:
      'Fills one template once for each row, and converts and signs each document, as `POST /v1/generate` does. ' +
      'The rows are a list in a JSON body, or lines of `application/x-ndjson` after a first line with everything but the rows. There are at most 100,000, read as fast as the caller reads the answers. ' +
      'A row that fails does not fail the others. Nothing is stored.',
    query: batchQuery,
    body: {
      json: batchRequest,
      lines: { contentType: LINES_TYPE, first: batchHead, other: batchRow },
    },
    example: {
      summary: 'Two documents from the sample template',
      query: { to: 'docx', output: 'ndjson' },
      body: ({ template }) => ({
        document: { base64: template },
        rows: [
          { id: 1, name: 'Ada Lovelace', data: { order_number: 1842 } },
          { id: 2, name: 'Grace Hopper', data: { order_number: 1843 } },
        ],
      }),
    },
    queues: [fillRowsJob.name],
    success: [
      {
        description: 'A line for each row, and a last line with the summary',
        contentType: LINES_TYPE,
        schema: batchLine,
        headers: {
          Vary: '`Accept`',
          'X-Rows-Done': 'With `output=pdf`: the number of rows in the PDF',
          'X-Rows-Failed': 'With `output=pdf`: the number of rows that are not in the PDF',
          'X-Join-Warnings':
            'With `output=pdf`: codes of what the PDF lacks, such as `CONFORMANCE_LOST` (not PDF/A, though documents are) and `FIELDS_RENAMED`. Absent if there are none',
        },
      },
      {
        description:
          'With `output=zip`, an archive of the documents, with `summary.json` and, if rows failed, `errors.ndjson`',
        contentType: 'application/zip',
      },
      {
        description: 'With `output=pdf`, one PDF of all documents in the order of the rows',
        contentType: 'application/pdf',
      },
    ],
    errors: errorsOf([
      'readsDocument',
      'fetchesDocument',
      'takesImages',
      'fillsFields',
      'fillsForm',
      'fillsMarks',
      'converts',
      'requiresFonts',
      'signs',
    ]),
    middleware: [refuseEarly(parts), receiveListed(parts.documents.receive.lines)],
    handle: answerWith(parts),
  };
}

/** Rejects a request before its body is read: for an invalid query, and when stores or workers are not available. */
function refuseEarly({ documents: { checkStores, clients }, closing }: BatchParts): Middleware {
  return async (request, response, next) => {
    const query = validate(batchQuery, request.query, { within: 'query' });
    outputForm(query, request);
    if (closing.aborted)
      throw new AppError('UNAVAILABLE', 'The gateway is stopping.', { retryAfterSeconds: 1 });
    await checkStores();
    await clients.of(fillRowsJob).shedder.check(response.locals.waiting?.[fillRowsJob.name]);
    next();
  };
}

function answerWith(parts: BatchParts): Handler {
  return async (request: Request, response) => {
    const query = validate(batchQuery, request.query, { within: 'query' });
    const form = outputForm(query, request);
    const { budget } = parts.documents.loading;
    const { lineBytesMax } = parts;
    const job = parts.jobOf(response);
    const received = job
      ? receiveDeferred(request, response, { budget, lineBytesMax, job })
      : await receiveBatch(request, response, { budget, lineBytesMax });
    refuseContradictions(received.head, query, form);
    const batch = await startBatch(received, query.to, response, parts);
    try {
      const output = job?.output ?? outputFor(form, { response, query, parts });
      await batch.run(output, optionsFor(job?.output ? 'ndjson' : form, received.head.options));
      if (job?.output) response.json({});
    } finally {
      await batch.close();
    }
  };
}

/** Throws VALIDATION_ERROR for what the query contradicts. */
function refuseContradictions(
  { convert, sign }: BatchHead,
  { to }: z.output<typeof batchQuery>,
  form: OutputForm,
): void {
  if (convert !== undefined && to !== 'pdf')
    throw invalid([{ field: 'convert', issue: 'requires `to=pdf`' }]);
  if (sign !== undefined && form === 'pdf')
    throw invalid([
      { field: 'sign', issue: 'is not possible with one PDF, in which no signature stays valid' },
    ]);
}

/** A batch that is answered later has a place for its documents: one for all, or one in each row. */
const DEFERRAL: Deferral = {
  fields: batchFields,
  rowsAddress,
  check(sent, asked, request) {
    const query = validate(batchQuery, request.query, { within: 'query' });
    const isListed = Array.isArray((sent as { rows?: unknown } | null)?.rows);
    const { rows, ...head } = validate(isListed ? batchRequest : addressedBatch, sent);
    const isWhole = asked.deliver !== undefined;
    refuseContradictions(head, query, isWhole ? outputForm(query, request) : 'ndjson');
    if (!isWhole && query.output !== undefined)
      throw invalid([{ field: 'query.output', issue: 'requires `deliver.parts`' }]);
    if (!Array.isArray(rows)) return rows.url;
    refuseRows(rows, isWhole);
    return undefined;
  },
};

/** Throws VALIDATION_ERROR for rows whose documents have no place, or two. What else is wrong with a row fails this row. */
function refuseRows(rows: readonly unknown[], isWhole: boolean): void {
  const details = rows.flatMap((row, at) => {
    const deliver = typeof row === 'object' && row !== null ? Reflect.get(row, 'deliver') : undefined;
    if ((deliver !== undefined) !== isWhole) return [];
    const issue = isWhole ? 'is not possible beside `deliver.parts`' : 'is required without `deliver.parts`';
    return [{ field: `rows[${at}].deliver`, issue }];
  });
  if (details.length > 0) throw invalid(details.slice(0, DETAILS_MAX));
}
