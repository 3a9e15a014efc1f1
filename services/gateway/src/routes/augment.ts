import { augmentJob } from '@scriptorium/contracts/jobs/augment';
import { TARGET_CONTENT_TYPES } from '@scriptorium/contracts/jobs/convert';
import { augmentReply } from '@scriptorium/signatures/augment-request';
import { z } from 'zod';
import { answeredDocument } from '../documents/answer.ts';
import {
  beginsAsDocx,
  documentBytes,
  documentContent,
  SIGN_HEADERS,
  uploadedNameOf,
} from '../documents/bytes-or-json.ts';
import { documentOperation } from '../documents/operation.ts';
import { augmentationOf, augmentQuery, augmentRequestBody } from '../requests/augment-request.ts';
import { loadSource } from '../requests/load-request.ts';

export const augment = documentOperation({
  operationId: 'augment',
  path: '/v1/augment',
  operation: 'augment',
  summary: 'Raise the level of the signatures of a PDF or DOCX',
  description:
    'Adds what signatures need to be verified for longer: a time-stamp (B-T), validation data (B-LT), and a time-stamp over these (B-LTA), which can be renewed. ' +
    'The signatures may be of any service. No byte that they cover changes, and no level is reached in part. ' +
    '`Accept` selects the answer: JSON, or the bytes of the document (its type or `application/octet-stream`).',
  query: augmentQuery,
  json: {
    schema: augmentRequestBody,
    async load({ document, password, ...body }, { loading, sealPassword, response, documentOr }) {
      const passwordBox = sealPassword.signer(password, response.locals.requestId);
      const source = await loadSource(document, loading, response);
      const request = augmentationOf(body, passwordBox);
      return {
        inputs: { source, request: Buffer.from(JSON.stringify(request)) },
        type: documentOr(TARGET_CONTENT_TYPES[beginsAsDocx(source) ? 'docx' : 'pdf']),
        uploadedName: uploadedNameOf(document),
      };
    },
  },
  example: {
    summary: 'A signed DOCX',
    body: ({ signed }) => ({ document: { base64: signed }, level: 'B-T' }),
  },
  jobs: [{ job: augmentJob }],
  success: [
    {
      description: 'The augmented document',
      contentType: 'application/json',
      schema: z
        .strictObject({ document: answeredDocument, ...augmentReply.shape })
        .meta({ id: 'AugmentedDocument' }),
      headers: {
        ...SIGN_HEADERS,
        'Server-Timing':
          'Milliseconds: `load` (receiving the request, decoding or fetching the document), `queue`, `augment`',
        Vary: '`Accept`',
      },
    },
    ...documentBytes,
  ],
  errors: ['readsDocument', 'opensEncrypted', 'fetchesDocument', 'augments'],
  async answer({ blobs, loaded: { type, uploadedName }, loadMs, run }) {
    const { output, queueMs } = await run(augmentJob, blobs);
    const reply = { ref: output.reply, schema: augmentReply };
    return {
      headers: { Vary: 'Accept' },
      stages: [
        ['load', loadMs],
        ['queue', queueMs],
        ['augment', output.runMs],
      ],
      content: documentContent(output.result, output.contentType, { type, uploadedName, reply }),
    };
  },
});
