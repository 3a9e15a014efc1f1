import { signedData } from '@scriptorium/pki/cms';
import { checkValidity, type HashAlgorithm } from '@scriptorium/pki/keys';
import type { DigestReply } from '../sign-request.ts';
import { SignatureError } from '../signature-error.ts';
import { type Signed, type SignRequest, type SignTools, timestamperFor } from './sign-tools.ts';
import { describeSignature } from './signature-summary.ts';

/**
 * Signs a digest for `sign`, and returns a `digestReply` in JSON. Throws VALIDATION_ERROR if the key signs by another hash, and
 * UNSUPPORTED_LEVEL for levels that need the document.
 */
export async function signDigest(
  { source: digest, signing, callerKey }: SignRequest,
  hash: HashAlgorithm,
  tools: SignTools,
): Promise<Signed> {
  const { level, key } = signing;
  const timestamper = timestamperFor(signing, tools);
  const signingTime = tools.now();
  const signer = await tools.openKey(key, callerKey);
  checkValidity(signer, signingTime);
  if (signer.hash !== hash)
    throw new SignatureError('VALIDATION_ERROR', `The key signs by ${signer.hash}.`, {
      details: [{ field: 'hash', issue: `must be \`${signer.hash}\`, by which the key signs` }],
    });
  const { cms, ...made } = await signedData({ digest, signer, timestamper });
  const reply: DigestReply = {
    cms: cms.toString('base64'),
    signature: describeSignature({ signer, level, signingTime, ...made }),
  };
  return {
    bytes: Buffer.from(JSON.stringify(reply)),
    contentType: 'application/json',
    reply: { warnings: [] },
  };
}
