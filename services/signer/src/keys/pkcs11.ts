import type { X509Certificate } from 'node:crypto';
import { AppError } from '@scriptorium/contracts/errors';
import { signingKeyInvalid } from '@scriptorium/pki/error';
import {
  digestInfo,
  foreignSigner,
  HASH_OCTETS,
  type RawSigner,
  type RsaPadding,
  readCertificates,
  type SignatureScheme,
  signatureScheme,
} from '@scriptorium/pki/keys';
import type * as Pkcs11 from 'pkcs11js';
import { type Cryptoki, loadCryptoki, type TokenAddress, TokenSession } from './token-session.ts';

export interface TokenKey extends TokenAddress {
  /** For a token that does not hold them; the signer's own first. */
  certificates: readonly X509Certificate[] | undefined;
  rsaPadding: RsaPadding;
}

/** Signed once when a token is opened, to check that key and certificate belong together. */
const PROBE = Buffer.from('Does this key belong to this certificate?');

/**
 * A key in a token that a PKCS #11 library (2.40) accesses. The token gets one digest at a time; its signatures are
 * checked against the certificate. A token that was removed is reopened with the next signature. Throws
 * SIGNING_KEY_INVALID; `sign` throws REMOTE_SIGNER_FAILED.
 */
export async function tokenSigner(key: TokenKey): Promise<RawSigner> {
  const cryptoki = await loadCryptoki(key.module);
  const session = new TokenSession(cryptoki, key);
  session.open();
  const [own, ...others] = key.certificates ?? readCertificates(session.certificates());
  if (own === undefined) throw signingKeyInvalid('The token holds no certificate for the key.');
  const signer = foreignSigner([own, ...others], (publicKey) => signatureScheme(publicKey, key.rsaPadding), {
    sign({ digest, scheme, octetsMax }) {
      const { mechanism, input } = mechanismFor(cryptoki, scheme, digest);
      return session.sign(mechanism, input, octetsMax);
    },
    refusal: () => new AppError('REMOTE_SIGNER_FAILED', 'The token returned an invalid signature.'),
  });
  await signer.sign(PROBE).catch((cause: unknown) => {
    throw signingKeyInvalid('The key in the token does not match its certificate.', cause);
  });
  return signer;
}

function mechanismFor(
  { constants }: Cryptoki,
  { algorithm, hash }: SignatureScheme,
  digest: Buffer,
): { mechanism: Pkcs11.Mechanism; input: Buffer } {
  switch (algorithm) {
    case 'rsa':
      return { mechanism: { mechanism: constants.CKM_RSA_PKCS }, input: digestInfo(hash, digest) };
    case 'rsa-pss':
      return {
        mechanism: { mechanism: constants.CKM_RSA_PKCS_PSS, parameter: pssParameter(constants, hash) },
        input: digest,
      };
    case 'ecdsa':
      return { mechanism: { mechanism: constants.CKM_ECDSA }, input: digest };
  }
}

function pssParameter(constants: typeof Pkcs11, hash: SignatureScheme['hash']): Pkcs11.RsaPSS {
  const { hashAlg, mgf } = {
    sha256: { hashAlg: constants.CKM_SHA256, mgf: constants.CKG_MGF1_SHA256 },
    sha384: { hashAlg: constants.CKM_SHA384, mgf: constants.CKG_MGF1_SHA384 },
    sha512: { hashAlg: constants.CKM_SHA512, mgf: constants.CKG_MGF1_SHA512 },
  }[hash];
  return { type: constants.CK_PARAMS_RSA_PSS, hashAlg, mgf, saltLen: HASH_OCTETS[hash] };
}
