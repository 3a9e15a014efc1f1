import { convertJob, convertOptions } from '@scriptorium/shared/jobs/convert';
import { signJob } from '@scriptorium/shared/jobs/sign';
import { signReply } from '@scriptorium/signatures/sign-request';
import { z } from 'zod';
import { type Answer, answeredDocument, type Stage } from '../documents/answer.ts';
import { conversionHeadersIf, conversionStages, lossHeaders } from '../documents/conversion.ts';
import { documentOperation } from '../documents/operation.ts';
import { loadWithFiles } from '../requests/load-request.ts';
import { signQuery, signRequestBody } from '../requests/sign-request.ts';
import { APPEARANCE_IMAGE, checkedKey, signingOf } from '../requests/signing.ts';

/** Options of a conversion before signing: the defaults. */
const TO_PDF = convertOptions.parse({ from: 'docx', to: 'pdf' });
/** Signature of the local file header (APPNOTE 4.3.7), with which a DOCX begins. */
const ZIP_MAGIC = Buffer.from('PK\x03\x04', 'latin1');

export const sign = documentOperation({
  path: '/v1/sign',
  operation: 'sign',
  summary: 'Sign a PDF or DOCX',
  description:
    'Signs a PDF with PAdES, and a DOCX with an OPC signature (XAdES) that Office displays. By default the key of the service signs; `key` selects another one. ' +
    'The signature also covers the audit trail. Keys and passwords in requests are forwarded encrypted and never stored.',
  query: signQuery,
  json: {
    schema: signRequestBody,
    async load({ document, password, ...body }, { loading, seal, sealPassword, response }) {
      const key = checkedKey(body, seal, response);
      const passwordBox = sealPassword.signer(password, response.locals.requestId);
      const image = body.appearance?.image;
      const named = new Map(image === undefined ? [] : [[APPEARANCE_IMAGE, image]]);
      const { source, images } = await loadWithFiles(
        document,
        { images: named, documents: new Map() },
        loading,
        response,
      );
      const place = images.places.get(APPEARANCE_IMAGE);
      const request = Buffer.from(JSON.stringify(signingOf(body, key, place, passwordBox)));
      return {
        inputs: { source, request, ...(image !== undefined && { images: images.bytes }) },
        isZip: source.subarray(0, ZIP_MAGIC.length).equals(ZIP_MAGIC),
      };
    },
  },
  jobs: [{ job: signJob }, { job: convertJob, isNeeded: ({ to }) => to === 'pdf' }],
  success: [
    {
      description:
        'The signed document. With an `external` key without a signature: the prepared document and the bytes to sign',
      contentType: 'application/json',
      schema: z.strictObject({ document: answeredDocument, ...signReply.shape }),
      headers: {
        ...conversionHeadersIf('For a DOCX with `to=pdf`', ['X-Conversion-Warnings', 'X-Conversion-Report']),
        'Server-Timing':
          'Milliseconds: `load` (receiving the request, decoding and fetching its documents), `queue`, `sign`; for a DOCX with `to=pdf` also `gate` and `convert`',
      },
    },
  ],
  errors: ['readsDocument', 'opensEncrypted', 'fetchesDocument', 'signs', 'takesImages', 'converts'],
  async answer({ query: { to }, blobs, loaded: { isZip }, loadMs, run, runThrough }) {
    const { source, ...thenSign } = blobs;
    if (to === undefined || !isZip) {
      const { output, queueMs } = await run(signJob, blobs);
      return signed(output, {}, [
        ['load', loadMs],
        ['queue', queueMs],
      ]);
    }
    const job = { source, options: TO_PDF, thenSign };
    const { outputOf, queueMs } = await runThrough(convertJob, job, [signJob]);
    const { report } = outputOf(convertJob);
    return signed(outputOf(signJob), lossHeaders(report), [
      ['load', loadMs],
      ...conversionStages(report, queueMs),
    ]);
  },
});

function signed(
  { result, reply, contentType, runMs }: z.output<typeof signJob.output>,
  headers: Answer['headers'],
  earlier: Stage[],
): Answer {
  return {
    headers,
    stages: [...earlier, ['sign', runMs]],
    content: { document: result, contentType, more: { ref: reply, schema: signReply } },
  };
}
