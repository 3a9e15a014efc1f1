import { TARGET_CONTENT_TYPES } from '@scriptorium/contracts/jobs/convert';
import { inspectJob } from '@scriptorium/contracts/jobs/inspect';
import { inspection, type LintReport } from '@scriptorium/docx-generate/inspection';
import { invalid } from '@scriptorium/shared/http/validation';
import type { Answer } from '../documents/answer.ts';
import {
  BYTES_TYPE,
  beginsAsPdf,
  documentContent,
  JSON_TYPE,
  uploadedNameOf,
} from '../documents/bytes-or-json.ts';
import { FILLING_WARNINGS, fillingWarnings } from '../documents/filling.ts';
import { documentOperation } from '../documents/operation.ts';
import { checkData } from '../requests/data-value.ts';
import { checkFormPassword } from '../requests/document-password.ts';
import { inspectQuery, inspectRequest } from '../requests/inspect-request.ts';
import { loadSource } from '../requests/load-request.ts';

const DOCX_TYPE = TARGET_CONTENT_TYPES.docx;

const LINT_HEADERS = {
  'Content-Disposition': 'For bytes: `attachment` with a file name (RFC 6266)',
  'X-Template-Mistakes': 'Number of mistakes, for which `POST /v1/generate` rejects the template',
  'X-Template-Doubts': 'Number of doubts',
  'X-Template-Warnings': FILLING_WARNINGS,
};

function lintHeaders(report: LintReport): Answer['headers'] {
  const warnings = fillingWarnings({ ...report, filled: 1 });
  return {
    'X-Template-Mistakes': report.mistakes,
    'X-Template-Doubts': report.doubts,
    ...(warnings !== '' && { 'X-Template-Warnings': warnings }),
  };
}

export const inspect = documentOperation({
  operationId: 'inspectTemplate',
  path: '/v1/templates/inspect',
  operation: 'inspect',
  summary: 'List the fields of a DOCX template or a PDF form',
  description:
    'With `to=docx`, the answer is the template with comments for its author: at each mistake in its marks, or without mistakes, at each doubt. ' +
    'Doubts are calls that the language does not have and marks that no data fills. With `data`, doubts are also what that lacks, what no mark reads of it, and what does not suit its mark. ' +
    'Comments about headers, footers and notes stand at the start of the document. There are 500 comments at most.',
  query: inspectQuery,
  json: {
    schema: inspectRequest,
    hasData: true,
    async load({ document, password, data }, { loading, sealPassword, response, query: { to }, offer }) {
      const type = to === 'docx' ? offer([DOCX_TYPE, BYTES_TYPE]) : JSON_TYPE;
      if (data !== undefined) checkData(data);
      const passwordBox = sealPassword.annotator(password, response.locals.requestId);
      const source = await loadSource(document, loading, response);
      const inputs = { source, ...(data !== undefined && { data: Buffer.from(JSON.stringify(data)) }) };
      const isForm = beginsAsPdf(source);
      if (isForm && to === 'docx')
        throw invalid([{ field: 'query.to', issue: 'must be `json`: the document is a PDF' }]);
      checkFormPassword(password, isForm);
      return { inputs, type, uploadedName: uploadedNameOf(document), isForm, passwordBox };
    },
  },
  example: {
    summary: 'The fields of the sample template',
    body: ({ template }) => ({ document: { base64: template } }),
  },
  jobs: [{ job: inspectJob }],
  success: [
    {
      description: 'The fields of the template, and a JSON Schema for `fields` of an annotate request',
      contentType: 'application/json',
      schema: inspection,
      headers: { 'Server-Timing': 'Milliseconds: `queue`, `inspect`' },
    },
    ...[DOCX_TYPE, BYTES_TYPE].map((contentType) => ({
      description: 'With `to=docx`, the template with comments',
      contentType,
      headers: LINT_HEADERS,
    })),
  ],
  errors: ['readsDocument', 'opensEncrypted', 'fetchesDocument'],
  async answer({ query: { to }, blobs, loaded, run }) {
    const { isForm, passwordBox } = loaded;
    const { output, queueMs, runMs } = await run(inspectJob, { ...blobs, to, isForm, passwordBox });
    const { result, lint } = output;
    return {
      ...(lint !== undefined && { headers: lintHeaders(lint) }),
      stages: [
        ['queue', queueMs],
        ['inspect', runMs],
      ],
      content: lint === undefined ? { written: result } : documentContent(result, DOCX_TYPE, loaded),
    };
  },
});
