import { AppError } from '@scriptorium/contracts/errors';
import {
  type CertificateList,
  digestOid,
  foreignSigner,
  pssParameters,
  type RawSigner,
  type RsaPadding,
  type SignatureScheme,
  signatureOid,
  signatureScheme,
} from '@scriptorium/pki/keys';
import { z } from 'zod';
import type { Post } from './key-source.ts';

/** A credential of a signing service that implements the API of the Cloud Signature Consortium. */
export interface RemoteCredential {
  /** Base URL of its methods, such as `https://signing.example/csc/v2`. */
  url: string;
  version: 'v1' | 'v2';
  credentialId: string;
  /** OAuth 2.0 bearer token. */
  token: string;
  /** For a credential that is authorized by a PIN. */
  pin: string | undefined;
  rsaPadding: RsaPadding;
}

const authorization = z.object({ SAD: z.string().min(1) });
const answer = z.object({ signatures: z.array(z.string()).length(1) });

/**
 * A key at a signing service: `signatures/signHash` of the CSC API 1.0.4.0 (11.9) or 2.0 (11.10), after
 * `credentials/authorize` if it has a PIN. The response is checked against the certificate before use. Throws
 * SIGNING_KEY_INVALID; `sign` throws REMOTE_SIGNER_FAILED.
 */
export function remoteSigner(
  credential: RemoteCredential,
  certificates: CertificateList,
  post: Post,
): RawSigner {
  const call = caller(credential, post);
  return foreignSigner(certificates, (publicKey) => signatureScheme(publicKey, credential.rsaPadding), {
    async sign({ digest, scheme }) {
      const hash = digest.toString('base64');
      const activation = credential.pin === undefined ? {} : await authorize(call, credential, hash, scheme);
      const body = { ...activation, ...hashRequest(credential, hash, scheme) };
      const { signatures } = await call('signatures/signHash', body, answer);
      return Buffer.from(signatures[0] ?? '', 'base64');
    },
    refusal: () => failed('The remote signing service returned an invalid signature.'),
  });
}

type Call = <Answer>(method: string, body: object, schema: z.ZodType<Answer>) => Promise<Answer>;

function caller({ url, token }: RemoteCredential, post: Post): Call {
  const base = url.replace(/\/$/, '');
  return async (method, body, schema) => {
    const request = {
      body: Buffer.from(JSON.stringify(body)),
      contentType: 'application/json',
      headers: { authorization: `Bearer ${token}`, accept: 'application/json' },
    };
    const bytes = await post(`${base}/${method}`, request).catch((cause: unknown) => {
      throw failed('The remote signing service failed.', cause);
    });
    try {
      return schema.parse(JSON.parse(bytes.toString()));
    } catch {
      // Without its cause, which may quote the key's activation data.
      throw failed('The remote signing service returned an unreadable response.');
    }
  };
}

/** Signature activation data for one signature of this digest. */
async function authorize(
  call: Call,
  { version, credentialId, pin }: RemoteCredential,
  digest: string,
  { hash }: SignatureScheme,
): Promise<{ SAD: string }> {
  const common = { credentialID: credentialId, numSignatures: 1 };
  const body =
    version === 'v1'
      ? { ...common, hash: [digest], PIN: pin }
      : {
          ...common,
          hashes: [digest],
          hashAlgorithmOID: digestOid(hash),
          authData: [{ id: 'PIN', value: pin }],
        };
  return call('credentials/authorize', body, authorization);
}

function hashRequest(
  { version, credentialId }: RemoteCredential,
  digest: string,
  scheme: SignatureScheme,
): object {
  const common = {
    credentialID: credentialId,
    signAlgo: signatureOid(scheme),
    ...(scheme.algorithm === 'rsa-pss' && { signAlgoParams: pssParameters(scheme.hash).toString('base64') }),
  };
  const hashAlgorithm = digestOid(scheme.hash);
  return version === 'v1'
    ? { ...common, hash: [digest], hashAlgo: hashAlgorithm }
    : { ...common, hashes: [digest], hashAlgorithmOID: hashAlgorithm };
}

function failed(message: string, cause?: unknown): AppError {
  return new AppError('REMOTE_SIGNER_FAILED', message, { cause });
}
