import { inspectJob } from '@scriptorium/contracts/jobs/inspect';
import { inspection } from '@scriptorium/docx-generate/inspection';
import { documentOperation } from '../documents/operation.ts';
import { checkData } from '../requests/data-value.ts';
import { inspectRequest } from '../requests/inspect-request.ts';
import { loadSource } from '../requests/load-request.ts';

export const inspect = documentOperation({
  operationId: 'inspectTemplate',
  path: '/v1/templates/inspect',
  operation: 'inspect',
  summary: 'List the fields of a DOCX template',
  json: {
    schema: inspectRequest,
    hasData: true,
    async load({ document, data }, { loading, response }) {
      if (data !== undefined) checkData(data);
      const source = await loadSource(document, loading, response);
      return { inputs: { source, ...(data !== undefined && { data: Buffer.from(JSON.stringify(data)) }) } };
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
  ],
  errors: ['readsDocument', 'fetchesDocument'],
  async answer({ blobs, run }) {
    const { output, queueMs, runMs } = await run(inspectJob, blobs);
    return {
      stages: [
        ['queue', queueMs],
        ['inspect', runMs],
      ],
      content: { written: output.result },
    };
  },
});
