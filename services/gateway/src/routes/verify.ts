import { verifyJob } from '@scriptorium/shared/jobs/verify';
import { type Verification, verifyReply } from '@scriptorium/signatures/verify-report';
import { documentOperation } from '../documents/operation.ts';
import { loadSource } from '../requests/load-request.ts';
import { verificationOf, verifyQuery, verifyRequestBody } from '../requests/verify-request.ts';

/** How a document is verified that comes as a file, with nothing said of it. */
const BY_DEFAULT: Verification = { trust: { anchors: [] }, revocation: 'embedded' };

export const verify = documentOperation({
  path: '/v1/verify',
  operation: 'verify',
  summary: 'Verify the signatures of a PDF or DOCX',
  description:
    'Says of each signature what was checked, what became of the document afterwards, and why it holds or not. ' +
    'A signature that does not hold is an answer like any other: 200 with `valid: false`. The codes are in docs/reference/verification-codes.md. ' +
    'Takes JSON, or the document alone as the multipart file part `file`.',
  query: verifyQuery,
  json: {
    schema: verifyRequestBody,
    load: async (body, { loading, response }) =>
      inputsOf(await loadSource(body.document, loading, response), verificationOf(body)),
  },
  file: {
    description: 'The document; all else is as it is by default',
    load: ({ bytes }) => inputsOf(bytes, BY_DEFAULT),
  },
  jobs: [{ job: verifyJob }],
  success: [
    {
      description: 'What the signatures of the document are worth',
      contentType: 'application/json',
      schema: verifyReply,
      headers: {
        'Server-Timing':
          'Milliseconds: `load` (receiving the request, decoding or fetching the document), `queue`, `verify`',
      },
    },
  ],
  errors: ['readsDocument', 'fetchesDocument'],
  async answer({ blobs, loadMs, run }) {
    const { output, queueMs } = await run(verifyJob, blobs);
    return {
      stages: [
        ['load', loadMs],
        ['queue', queueMs],
        ['verify', output.runMs],
      ],
      content: { json: output.reply },
    };
  },
});

const inputsOf = (source: Buffer, verification: Verification) => ({
  inputs: { source, request: Buffer.from(JSON.stringify(verification)) },
});
