import { conversionReport } from '@scriptorium/shared/jobs/conversion-report';
import { convertJob, convertOptions, TARGET_CONTENT_TYPES } from '@scriptorium/shared/jobs/convert';
import { z } from 'zod';
import { CONVERSION_HEADERS, conversionHeaders, conversionStages } from '../documents/conversion.ts';
import { documentOperation } from '../documents/operation.ts';

const { pdf: PDF_TYPE, ...otherTypes } = TARGET_CONTENT_TYPES;
const OTHER_TYPES = Object.values(otherTypes);

export const convert = documentOperation({
  path: '/v1/convert',
  operation: 'convert',
  summary: 'Convert a document',
  description:
    'Accepts one document as the multipart file part `file` and returns the converted bytes. The document is held in memory during the request only.',
  query: convertOptions,
  file: {
    description: 'The document',
    load: ({ bytes, name }) => ({ inputs: { source: bytes }, uploadedName: name }),
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
          'Milliseconds: `queue` (wait for a worker and an engine), `gate` (sanitizing the document), `convert` (the engine)',
      },
    },
    ...OTHER_TYPES.map((contentType) => ({
      description: 'the converted document in the format of `to`',
      contentType,
    })),
    {
      description:
        'with `Accept: multipart/mixed`, the document as the first part and a JSON report as the second part',
      contentType: 'multipart/mixed',
      schema: z.object({ document: z.string(), report: conversionReport }),
    },
  ],
  errors: ['readsDocument', 'requiresFonts', 'converts'],
  async answer({ query: options, blobs: { source }, loaded: { uploadedName }, run }) {
    const { output, queueMs } = await run(convertJob, { source, options });
    const { result, contentType, report } = output;
    return {
      headers: conversionHeaders(report),
      stages: conversionStages(report, queueMs),
      content: {
        file: result,
        contentType,
        uploadedName,
        ending: options.to,
        report: { ...report, timings: { queueMs, ...report.timings } },
      },
    };
  },
});
