import { annotateJob } from '@scriptorium/contracts/jobs/annotate';
import { convertJob, TARGET_CONTENT_TYPES } from '@scriptorium/contracts/jobs/convert';
import type { AnnotateReport } from '@scriptorium/docx-template/annotation';
import { invalid } from '@scriptorium/shared/http/validation';
import { z } from 'zod';
import { answeredDocument } from '../documents/answer.ts';
import { beginsAsPdf, documentBytes, documentContent, uploadedNameOf } from '../documents/bytes-or-json.ts';
import { conversionHeaders, conversionHeadersIf, conversionStages } from '../documents/conversion.ts';
import {
  FILLING_WARNINGS,
  fillingWarnings,
  REMAINING_HEADER,
  remainingHeader,
} from '../documents/filling.ts';
import { documentOperation } from '../documents/operation.ts';
import { SAMPLE_FIELDS } from '../pages/fill-command.ts';
import { annotateQuery, annotateRequest } from '../requests/annotate-request.ts';
import { checkFormPassword } from '../requests/document-password.ts';
import { loadAnnotateRequest } from '../requests/load-request.ts';

/** Descriptions of the headers that report the result of filling. */
const ANNOTATION_HEADERS = {
  'X-Fields-Filled': 'Number of content controls and placeholders that were filled',
  'X-Fields-Unmatched':
    'Number of entries of `fields` that match nothing in the template. Absent if all match',
  'X-Fields-Unmatched-List': 'The first 100 unmatched entries: `fields[3], fields[7]`',
  ...REMAINING_HEADER,
  'X-Annotate-Warnings': FILLING_WARNINGS,
};

export const annotate = documentOperation({
  operationId: 'annotate',
  path: '/v1/annotate',
  operation: 'annotate',
  summary: 'Fill the fields of a DOCX template or a PDF form',
  description:
    'Fields are the content controls of the template, identified by tag, title or number, `{placeholders}` in its text, merge fields and text form fields. ' +
    'Fields of a PDF are those of its form, identified by their full name; it requires `to=pdf`. ' +
    'Fields without a value remain unchanged. `POST /v1/templates/inspect` lists the fields of a template. ' +
    'An entry without `type` is a `table` if its value is an array, and a `text` otherwise. ' +
    '`Accept` selects the answer: JSON, or the bytes of the document (its type or `application/octet-stream`).',
  query: annotateQuery,
  json: {
    schema: annotateRequest,
    async load(body, { loading, sealPassword, response, query: { to }, documentOr }) {
      const type = documentOr(TARGET_CONTENT_TYPES[to]);
      const passwordBox = sealPassword.annotator(body.password, response.locals.requestId);
      const { source, fieldValues, images } = await loadAnnotateRequest(body, loading, response);
      const fields = Buffer.from(JSON.stringify(fieldValues));
      const uploadedName = uploadedNameOf(body.document);
      const isForm = beginsAsPdf(source);
      if (isForm && to !== 'pdf')
        throw invalid([{ field: 'query.to', issue: 'must be `pdf`: the document is a PDF' }]);
      checkFormPassword(body.password, isForm);
      const inputs = { source, fields, ...(images.length > 0 && { images }) };
      return { inputs, type, uploadedName, isForm, passwordBox };
    },
  },
  example: {
    summary: 'The sample template, filled',
    query: { to: 'docx' },
    body: ({ template }) => ({ document: { base64: template }, fields: SAMPLE_FIELDS }),
  },
  jobs: [{ job: annotateJob }, { job: convertJob, isNeeded: ({ to }) => to === 'pdf' }],
  success: [
    {
      description: 'The filled document',
      contentType: 'application/json',
      schema: z.strictObject({ document: answeredDocument }).meta({ id: 'AnnotatedDocument' }),
      headers: {
        ...ANNOTATION_HEADERS,
        ...conversionHeadersIf('With `to=pdf`'),
        'Server-Timing':
          'Milliseconds: `load` (receiving the request, decoding and fetching its documents), `queue`, `annotate`; with `to=pdf` also `sanitize` and `convert`',
        Vary: '`Accept`',
      },
    },
    ...documentBytes,
  ],
  errors: ['readsDocument', 'fetchesDocument', 'takesImages', 'fillsFields', 'fillsForm', 'converts'],
  async answer({ query: { to, ...options }, blobs, loaded, loadMs, run, runThrough }) {
    const { isForm, passwordBox } = loaded;
    const job = { ...blobs, options, to, isForm, passwordBox };
    if (to === 'docx' || isForm) {
      const { output, queueMs } = await run(annotateJob, job);
      return {
        headers: { ...annotationHeaders(output.report), Vary: 'Accept' },
        stages: [
          ['load', loadMs],
          ['queue', queueMs],
          ['annotate', output.report.runMs],
        ],
        content: documentContent(output.result, TARGET_CONTENT_TYPES[to], loaded),
      };
    }
    const { outputOf, queueMs } = await runThrough(annotateJob, job, [convertJob]);
    const [first, output] = [outputOf(annotateJob), outputOf(convertJob)];
    return {
      headers: { ...annotationHeaders(first.report), ...conversionHeaders(output.report), Vary: 'Accept' },
      stages: [
        ['load', loadMs],
        ['annotate', first.report.runMs],
        ...conversionStages(output.report, queueMs),
      ],
      content: documentContent(output.result, TARGET_CONTENT_TYPES[to], loaded),
    };
  },
});

function annotationHeaders(report: AnnotateReport) {
  const { filled, unmatched, remaining } = report;
  const warnings = fillingWarnings(report);
  return {
    ...remainingHeader(remaining),
    'X-Fields-Filled': filled,
    ...(unmatched.count > 0 && {
      'X-Fields-Unmatched': unmatched.count,
      'X-Fields-Unmatched-List': unmatched.fields.map((at) => `fields[${at}]`).join(', '),
    }),
    ...(warnings !== '' && { 'X-Annotate-Warnings': warnings }),
  };
}
