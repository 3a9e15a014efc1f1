import { signJob } from '@scriptorium/contracts/jobs/sign';
import { digestReply, type Signing } from '@scriptorium/signatures/sign-request';
import { JSON_TYPE } from '../documents/bytes-or-json.ts';
import { documentOperation } from '../documents/operation.ts';
import { signDigestBody } from '../requests/sign-request.ts';
import { checkedKeys } from '../requests/signing.ts';

export const signDigest = documentOperation({
  operationId: 'signDigest',
  path: '/v1/sign/digest',
  operation: 'sign',
  summary: 'Sign the digest of a document that stays with you',
  description:
    'Signs the digest of the signed bytes of a PDF, and returns the signature, which you embed. The document stays with you, so the service checks nothing of it. ' +
    'An API key with scopes needs `sign` and `signDigest`.',
  json: {
    schema: signDigestBody,
    hasNoDocument: true,
    async load({ digest, hash, key, level, timestamp }, { seal, response }) {
      const signing: Signing = {
        key: checkedKeys({ key }, seal, response).key,
        level,
        digestHash: hash,
        ...(timestamp && { timestampProfile: timestamp.profile }),
        hasAuditPages: false,
        allowBrokenSignatures: false,
      };
      return {
        inputs: { source: Buffer.from(digest, 'hex'), request: Buffer.from(JSON.stringify(signing)) },
      };
    },
  },
  example: {
    summary: 'A digest by SHA-256',
    body: () => ({ digest: 'ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad' }),
  },
  jobs: [{ job: signJob }],
  success: [
    {
      description: 'The signature',
      contentType: JSON_TYPE,
      schema: digestReply,
      headers: { 'Server-Timing': 'Milliseconds: `load` (receiving the request), `queue`, `sign`' },
    },
  ],
  errors: ['signsDigest'],
  async answer({ blobs: { source, request }, loadMs, run, forSigner }) {
    const { output, queueMs } = await run(signJob, { ...forSigner(request, undefined), source });
    return {
      stages: [
        ['load', loadMs],
        ['queue', queueMs],
        ['sign', output.runMs],
      ],
      content: { written: output.result },
    };
  },
});
