import { verifyJob } from '@scriptorium/shared/jobs/verify';
import { type Verification, verifyReply } from '@scriptorium/signatures/verify-report';
import { documentOperation } from '../documents/operation.ts';
import { loadSource } from '../requests/load-request.ts';
import { verificationOf, verifyQuery, verifyRequestBody } from '../requests/verify-request.ts';

/** The options for a document that is sent as a file. */
const DEFAULTS: Verification = { trust: { anchors: [] }, revocation: 'embedded' };

export const verify = documentOperation({
  path: '/v1/verify',
  operation: 'verify',
  summary: 'Verify the signatures of a PDF or DOCX',
  description:
    'Reports for each signature the checks and their results, the later changes of the document, and the reasons for the verdict. ' +
    'An invalid signature is a normal result, not an error: 200 with `valid: false`. The codes are in docs/reference/verification-codes.md. ' +
    'Accepts JSON, or only the document as the multipart file part `file`.',
  query: verifyQuery,
  json: {
    schema: verifyRequestBody,
    async load(body, { loading, sealPassword, response }) {
      const passwordBox = sealPassword.verifier(body.password, response.locals.requestId);
      const source = await loadSource(body.document, loading, response);
      return inputsOf(source, verificationOf(body, passwordBox));
    },
  },
  file: {
    description: 'The document. All options have their default values',
    load: ({ bytes }) => inputsOf(bytes, DEFAULTS),
  },
  jobs: [{ job: verifyJob }],
  success: [
    {
      description: 'The verification report of the document',
      contentType: 'application/json',
      schema: verifyReply,
      headers: {
        'Server-Timing':
          'Milliseconds: `load` (receiving the request, decoding or fetching the document), `queue`, `verify`',
      },
    },
  ],
  errors: ['readsDocument', 'opensEncrypted', 'fetchesDocument'],
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
