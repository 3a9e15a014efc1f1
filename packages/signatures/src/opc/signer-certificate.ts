import { type Certificate, namesCertificate } from '@scriptorium/pki/certificates';
import type { SignedCore } from '@scriptorium/pki/cms';
import type { Element } from '@xmldom/xmldom';
import { DIGESTS, type DigestAlgorithm, digest } from './algorithms.ts';
import { readBase64 } from './read-signature.ts';
import { SignatureFormatError, UnsupportedMethodError } from './signature-errors.ts';
import { childrenOf, DSIG, onlyChild, XADES } from './xml-dom.ts';

const NAMES_MAX = 20;

/** The serial number as XML signatures write it. */
export const decimalSerial = ({ serialNumber }: { serialNumber: string }): string =>
  BigInt(`0x${serialNumber}`).toString();

/** Whether a certificate is one that a signature names. */
type CertificateName = (certificate: Certificate) => boolean;

function required(parent: Element | undefined, namespace: string, name: string): Element {
  const found = parent && onlyChild(parent, namespace, name);
  if (found === undefined) throw new SignatureFormatError('it names its certificate in no known way');
  return found;
}

/** Reads a Cert of XAdES (EN 319 132-1 §5.2.2): a digest, and issuer and serial number where it has them. */
function readName(cert: Element): CertificateName {
  const certDigest = required(cert, XADES, 'CertDigest');
  const hash = DIGESTS.get(required(certDigest, DSIG, 'DigestMethod').getAttribute('Algorithm') ?? '');
  if (hash === undefined)
    throw new UnsupportedMethodError('it names its certificate by a digest that is not supported');
  const expected = readBase64(required(certDigest, DSIG, 'DigestValue'));
  const isNumbered = readNumber(cert);
  return (certificate) => hasDigest(certificate, hash, expected) && isNumbered(certificate);
}

function hasDigest({ der }: Certificate, hash: DigestAlgorithm, expected: Buffer): boolean {
  return digest(hash, der).equals(expected);
}

/** The issuer's name as text is not looked at: producers write it each in their own way, and the digest is over it too. */
function readNumber(cert: Element): CertificateName {
  const former = onlyChild(cert, XADES, 'IssuerSerial');
  const latest = onlyChild(cert, XADES, 'IssuerSerialV2');
  if (former !== undefined) {
    const number = (required(former, DSIG, 'X509SerialNumber').textContent ?? '').trim();
    return ({ x509 }) => decimalSerial(x509) === number.replace(/^0+(?=\d)/, '');
  }
  if (latest === undefined) return () => true;
  const der = readBase64(latest);
  return (certificate) => namesCertificate(der, certificate);
}

/** How what is signed names the signer: each list must hold his certificate. Throws SignatureFormatError. */
function readNames(signedProperties: Element | undefined): CertificateName[] {
  const properties = signedProperties && onlyChild(signedProperties, XADES, 'SignedSignatureProperties');
  const lists = ['SigningCertificate', 'SigningCertificateV2'].flatMap((name) =>
    properties === undefined ? [] : childrenOf(properties, XADES, name),
  );
  return lists.map((list) => {
    const names = childrenOf(list, XADES, 'Cert');
    if (names.length > NAMES_MAX) throw new SignatureFormatError('it names too many certificates');
    const isNamed = names.map(readName);
    return (certificate) => isNamed.some((matches) => matches(certificate));
  });
}

/** Who signed, as far as a signature shows by itself. */
export interface ChosenSigner extends Pick<SignedCore, 'signer' | 'namesSigner' | 'signatureHolds'> {
  /** Whether more than one certificate fits, and nothing says which is meant. */
  isAmbiguous: boolean;
}

/**
 * Finds the certificate of the signer: the one that what is signed names, or where it names none the one whose key made
 * the value. Throws SignatureFormatError.
 */
export function chooseSigner(
  certificates: readonly Certificate[],
  signedProperties: Element | undefined,
  isSignedBy: (certificate: Certificate) => boolean,
): ChosenSigner {
  const names = readNames(signedProperties);
  const distinct = [...new Map(certificates.map((each) => [each.der.toString('latin1'), each])).values()];
  const named = distinct.filter((certificate) => names.every((isNamed) => isNamed(certificate)));
  const signers = named.filter(isSignedBy);
  if (signers[0] !== undefined) {
    const isAmbiguous = signers.length > 1;
    return {
      signer: signers[0],
      signatureHolds: true,
      namesSigner: names.length === 0 ? 'absent' : 'yes',
      isAmbiguous,
    };
  }
  const other = names.length === 0 ? undefined : distinct.find(isSignedBy);
  return {
    signer: other ?? named[0] ?? distinct[0],
    signatureHolds: other !== undefined,
    namesSigner: names.length === 0 ? 'absent' : other === undefined && named.length > 0 ? 'yes' : 'no',
    isAmbiguous: false,
  };
}
