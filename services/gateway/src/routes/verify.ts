import { verifyJob } from '@scriptorium/contracts/jobs/verify';
import { HTML_POLICY } from '@scriptorium/signatures/html-policy';
import {
  REPORT_FORMATS,
  REPORT_TYPES,
  type ReportFormat,
  type Verification,
  verifyReply,
} from '@scriptorium/signatures/verify-report';
import { documentOperation } from '../documents/operation.ts';
import { loadSource } from '../requests/load-request.ts';
import { verificationOf, verifyQuery, verifyRequestBody } from '../requests/verify-request.ts';

export const verify = documentOperation({
  operationId: 'verify',
  path: '/v1/verify',
  operation: 'verify',
  summary: 'Verify the signatures of a PDF or DOCX',
  description:
    'Reports for each signature the checks and their results, the later changes of the document, and the reasons for the verdict. ' +
    'An invalid signature is a normal result, not an error: 200 with `valid: false`. The codes are in docs/reference/verification-codes.md. ' +
    '`Accept` selects the report: JSON, a page or a PDF for people, or XML of ETSI TS 119 102-2.',
  query: verifyQuery,
  json: {
    schema: verifyRequestBody,
    async load(body, { loading, sealPassword, response, preferred }) {
      const passwordBox = sealPassword.verifier(body.password, response.locals.requestId);
      const source = await loadSource(body.document, loading, response);
      return inputsOf(source, verificationOf(body, passwordBox), preferred);
    },
  },
  example: {
    summary: 'A signed DOCX',
    body: ({ signed }) => ({
      document: { base64: signed },
      trust: { profile: 'service' },
      revocation: 'embedded',
    }),
  },
  jobs: [{ job: verifyJob }],
  success: [
    {
      description: 'The verification report of the document',
      contentType: REPORT_TYPES.json,
      schema: verifyReply,
      headers: {
        'Server-Timing':
          'Milliseconds: `load` (receiving the request, decoding or fetching the document), `queue`, `verify`',
        Vary: '`Accept`',
      },
    },
    { description: 'With `Accept: text/html`, a page for people', contentType: REPORT_TYPES.html },
    { description: 'With `Accept: application/pdf`, the same as a PDF', contentType: REPORT_TYPES.pdf },
    {
      description: 'With `Accept: application/xml`, the report of ETSI TS 119 102-2 V1.4.1',
      contentType: REPORT_TYPES.xml,
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
      headers: headersOf(output.contentType),
      content: { written: output.reply, contentType: output.contentType },
    };
  },
});

function headersOf(contentType: string): Record<string, string> {
  switch (contentType) {
    case REPORT_TYPES.html:
      return { Vary: 'Accept', 'Content-Security-Policy': HTML_POLICY };
    case REPORT_TYPES.pdf:
      return { Vary: 'Accept', 'Content-Disposition': 'inline; filename="verification-report.pdf"' };
    default:
      return { Vary: 'Accept' };
  }
}

/** JSON is the default, so the request names only other formats. */
function inputsOf(
  source: Buffer,
  verification: Verification,
  preferred: (types: readonly string[]) => string,
) {
  const type = preferred(REPORT_FORMATS.map((format) => REPORT_TYPES[format]));
  const report: ReportFormat | undefined = REPORT_FORMATS.find((format) => REPORT_TYPES[format] === type);
  const request = { ...verification, ...(report !== 'json' && { report }) };
  return { inputs: { source, request: Buffer.from(JSON.stringify(request)) } };
}
