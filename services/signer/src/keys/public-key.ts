import { createHash } from 'node:crypto';
import type { PublicSigningKey } from '@scriptorium/contracts/jobs/signing-key';
import { certificateOf, distinguishedName } from '@scriptorium/pki/certificates';
import type { RawSigner } from '@scriptorium/pki/keys';

const VERSION_DIGITS = 16;
const CURVE_NAMES: Record<string, string | undefined> = {
  prime256v1: 'P-256',
  secp384r1: 'P-384',
  secp521r1: 'P-521',
};

/** The public data of the service's own key. */
export function publicSigningKey(
  { certificates, algorithm }: Pick<RawSigner, 'certificates' | 'algorithm'>,
  isDevelopmentKey: boolean,
): PublicSigningKey {
  const [own] = certificates;
  const { publicKey } = own;
  const { notBefore, notAfter } = certificateOf(own);
  const spki = publicKey.export({ type: 'spki', format: 'der' });
  const { modulusLength, namedCurve = '' } = publicKey.asymmetricKeyDetails ?? {};
  return {
    version: createHash('sha256').update(spki).digest('hex').slice(0, VERSION_DIGITS),
    algorithm:
      algorithm === 'ecdsa'
        ? `ECDSA-${CURVE_NAMES[namedCurve] ?? namedCurve}`
        : `${algorithm === 'rsa' ? 'RSA' : 'RSA-PSS'}-${modulusLength}`,
    publicKey: publicKey.export({ type: 'spki', format: 'pem' }).toString(),
    fingerprint: own.fingerprint256.toLowerCase(),
    validFrom: notBefore.toISOString(),
    validTo: notAfter.toISOString(),
    issuer: distinguishedName(own.issuer),
    certificate: certificates.map((certificate) => certificate.toString()).join(''),
    isDevelopmentKey,
  };
}
