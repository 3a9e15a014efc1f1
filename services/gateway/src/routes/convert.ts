import { AppError, renamed } from '@scriptorium/contracts/errors';
import { conversionReport } from '@scriptorium/contracts/jobs/conversion-report';
import { convertJob, convertOptions, TARGET_CONTENT_TYPES } from '@scriptorium/contracts/jobs/convert';
import { z } from 'zod';
import { CONVERSION_HEADERS, conversionHeaders, conversionStages, titleOf } from '../documents/conversion.ts';
import { documentOperation } from '../documents/operation.ts';
import {
  type ConvertRequest,
  convertRequest,
  loadFinishing,
  passwordsOf,
  requireCombination,
} from '../requests/convert-request.ts';
import { loadSource } from '../requests/load-request.ts';

const { pdf: PDF_TYPE, ...otherTypes } = TARGET_CONTENT_TYPES;
const OTHER_TYPES = Object.values(otherTypes);

const SAMPLE_TEXT =
  '# A sample\n\nA paragraph with **bold** text.\n\n| item | pieces |\n| --- | --- |\n| Engine | 1 |\n';

export const convert = documentOperation({
  operationId: 'convert',
  path: '/v1/convert',
  operation: 'convert',
  summary: 'Convert a document',
  description:
    'Accepts one document as the multipart file part `file`, or in JSON, and returns the converted bytes. The document is held in memory during the request only. ' +
    'A form may have a part `request` with the rest of the JSON body: passwords, and what a PDF gets after its conversion.',
  query: convertOptions,
  json: {
    schema: convertRequest,
    async load(body: ConvertRequest, { loading, response, query, sealPassword }) {
      requireCombination(body, query);
      const { document } = body;
      const passwordBox = sealPassword.converter(passwordsOf(body), response.locals.requestId);
      const source = await loadSource(document, loading, response);
      const finishing = await loadFinishing(body, loading, response);
      const inputs: { source: Buffer; finishing?: Buffer } = { source, ...(finishing && { finishing }) };
      return { inputs, passwordBox, uploadedName: document.upload?.name };
    },
  },
  // Importers send every parameter. So each one that does not suit every document has a value that suits this one.
  example: {
    summary: 'A Markdown text as a PDF',
    query: {
      ...{ from: 'md', to: 'pdf', pages: '1-', paper: 'a4', revisions: 'markup' },
      ...{ imageQuality: '90', maxImageResolution: '300', dpi: '96' },
    },
    body: () => ({ document: { base64: Buffer.from(SAMPLE_TEXT).toString('base64') } }),
  },
  jobs: [{ job: convertJob }],
  success: [
    {
      description: 'The converted document',
      contentType: PDF_TYPE,
      headers: {
        'Content-Disposition': 'The name of the uploaded file with the new extension (RFC 6266)',
        ...CONVERSION_HEADERS,
        'Server-Timing':
          'Milliseconds: `queue` (wait for a worker and an engine), `sanitize` (the sanitizer), `convert` (the engine)',
      },
    },
    ...OTHER_TYPES.map((contentType) => ({
      description: 'The converted document in the format of `to`',
      contentType,
    })),
    {
      description:
        'With `Accept: multipart/mixed`, the document as the first part and a JSON report as the second part',
      contentType: 'multipart/mixed',
      schema: z.object({
        document: z.string(),
        report: conversionReport.meta({ id: 'ConversionReport' }),
      }),
    },
  ],
  errors: ['readsDocument', 'opensEncrypted', 'fetchesDocument', 'requiresFonts', 'converts'],
  async answer({ query: options, blobs, loaded: { uploadedName, passwordBox }, run }) {
    const input = { ...blobs, options, passwordBox, title: titleOf(uploadedName) };
    const { output, queueMs } = await run(convertJob, input).catch(nameDocument(uploadedName));
    const { result, contentType, report } = output;
    return {
      headers: conversionHeaders(report),
      stages: conversionStages(report, queueMs),
      content: {
        file: result,
        contentType,
        ...(uploadedName !== undefined && { uploadedName }),
        ending: options.to,
        report: { ...report, timings: { queueMs, ...report.timings } },
      },
    };
  },
});

/** The converter calls the document `file`, as it is called in a form. */
function nameDocument(uploadedName: string | undefined): (error: unknown) => never {
  return (error) => {
    if (!(error instanceof AppError) || uploadedName !== undefined) throw error;
    throw renamed(error, (field) => (field === 'file' ? 'document' : field));
  };
}
