import { inspectJob } from '@scriptorium/contracts/jobs/inspect';
import { inspection } from '@scriptorium/docx-generate/inspection';
import { documentOperation } from '../documents/operation.ts';
import { documentRequest } from '../requests/document-request.ts';
import { loadSource } from '../requests/load-request.ts';

export const inspect = documentOperation({
  operationId: 'inspectTemplate',
  path: '/v1/templates/inspect',
  operation: 'inspect',
  summary: 'List the fields of a DOCX template',
  json: {
    schema: documentRequest,
    load: async ({ document }, { loading, response }) => ({
      inputs: { source: await loadSource(document, loading, response) },
    }),
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
