import { convertJob, convertOptions, TARGET_CONTENT_TYPES } from '@scriptorium/contracts/jobs/convert';
import { signJob } from '@scriptorium/contracts/jobs/sign';
import { invalid } from '@scriptorium/shared/http/validation';
import { signReply } from '@scriptorium/signatures/sign-request';
import { z } from 'zod';
import { type Answer, answeredDocument, type Stage } from '../documents/answer.ts';
import {
  beginsAsDocx,
  documentBytes,
  documentContent,
  JSON_TYPE,
  SIGN_HEADERS,
  uploadedNameOf,
} from '../documents/bytes-or-json.ts';
import { conversionHeadersIf, conversionStages, lossHeaders } from '../documents/conversion.ts';
import { documentOperation } from '../documents/operation.ts';
import { loadWithFiles } from '../requests/load-request.ts';
import { type SignInstructions, signQuery, signRequestBody } from '../requests/sign-request.ts';
import { appearanceImages, checkedKeys, signingOf } from '../requests/signing.ts';

/** Options of a conversion before signing: the defaults. */
const TO_PDF = convertOptions.parse({ from: 'docx', to: 'pdf' });

export const sign = documentOperation({
  operationId: 'sign',
  path: '/v1/sign',
  operation: 'sign',
  summary: 'Sign a PDF or DOCX',
  description:
    'Signs a PDF with PAdES, and a DOCX with an OPC signature (XAdES) that Office displays. By default the key of the service signs; `key` selects another one. ' +
    'The signature also covers the audit trail. Keys and passwords in requests are forwarded encrypted and never stored. ' +
    '`Accept` selects the answer: JSON, or the bytes of the document (its type or `application/octet-stream`).',
  query: signQuery,
  json: {
    schema: signRequestBody,
    async load({ document, password, ...body }, { loading, seal, sealPassword, response, ...tools }) {
      const keys = checkedKeys(body, seal, response);
      const passwordBox = sealPassword.signer(password, response.locals.requestId);
      const named = appearanceImages(body);
      const { source, images } = await loadWithFiles(
        document,
        { images: named, documents: new Map() },
        loading,
        response,
      );
      const request = Buffer.from(JSON.stringify(signingOf(body, keys, images.places, passwordBox)));
      const isDocx = beginsAsDocx(source);
      const to = isDocx ? (tools.query.to ?? 'docx') : 'pdf';
      return {
        inputs: { source, request, ...(named.size > 0 && { images: images.bytes }) },
        isDocx,
        type: answerType(body, tools.documentOr(TARGET_CONTENT_TYPES[to])),
        uploadedName: uploadedNameOf(document),
      };
    },
  },
  example: {
    summary: 'The sample document with the signature of the service',
    body: ({ document }) => ({
      document: { base64: document },
      signer: { name: 'Ada Lovelace', email: 'ada@example.com', ip: '203.0.113.7' },
      auditTrail: [
        { type: 'ready', timestamp: '2026-05-01T11:58:02Z' },
        { type: 'field_change', timestamp: '2026-05-01T11:59:10Z', data: { field: 'terms', value: true } },
        { type: 'submit', timestamp: '2026-05-01T12:00:00Z' },
      ],
      eventId: 'order-1842',
    }),
  },
  jobs: [{ job: signJob }, { job: convertJob, isNeeded: ({ to }) => to === 'pdf' }],
  success: [
    {
      description:
        'The signed document. With an `external` key without a signature: the prepared document and the bytes to sign',
      contentType: 'application/json',
      schema: z
        .strictObject({ document: answeredDocument, ...signReply.shape })
        .meta({ id: 'SignedDocument' }),
      headers: {
        ...SIGN_HEADERS,
        ...conversionHeadersIf('For a DOCX with `to=pdf`', [
          'X-Conversion-Warnings',
          'X-Conversion-Report',
          'X-Signature-Fields',
        ]),
        'Server-Timing':
          'Milliseconds: `load` (receiving the request, decoding and fetching its documents), `queue`, `sign`; for a DOCX with `to=pdf` also `sanitize` and `convert`',
        Vary: '`Accept`',
      },
    },
    ...documentBytes,
  ],
  errors: ['readsDocument', 'opensEncrypted', 'fetchesDocument', 'signs', 'takesImages', 'converts'],
  async answer({ query: { to }, blobs, loaded, loadMs, run, runThrough, forSigner }) {
    const { source, request, images } = blobs;
    const thenSign = forSigner(request, images);
    if (to === undefined || !loaded.isDocx) {
      const { output, queueMs } = await run(signJob, { ...thenSign, source });
      return signed(output, loaded, {}, [
        ['load', loadMs],
        ['queue', queueMs],
      ]);
    }
    const job = { source, options: TO_PDF, thenSign };
    const { outputOf, queueMs } = await runThrough(convertJob, job, [signJob]);
    const { report } = outputOf(convertJob);
    return signed(outputOf(signJob), loaded, lossHeaders(report), [
      ['load', loadMs],
      ...conversionStages(report, queueMs),
    ]);
  },
});

/** Throws VALIDATION_ERROR if bytes are asked for, but the answer has the bytes to sign. */
function answerType({ key }: SignInstructions, type: string): string {
  if (type === JSON_TYPE || key?.external === undefined || key.external.signature !== undefined) return type;
  const issue =
    'must be `application/json` with `key.external` without a `signature`: the answer has the bytes to sign';
  throw invalid([{ field: 'headers.accept', issue }]);
}

function signed(
  { result, reply, contentType, runMs }: z.output<typeof signJob.output>,
  { type, uploadedName }: { type: string; uploadedName: string | undefined },
  headers: Answer['headers'],
  earlier: Stage[],
): Answer {
  return {
    headers: { ...headers, Vary: 'Accept' },
    stages: [...earlier, ['sign', runMs]],
    content: documentContent(result, contentType, {
      type,
      uploadedName,
      reply: { ref: reply, schema: signReply },
    }),
  };
}
