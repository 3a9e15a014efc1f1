import { type Certificate, namesCertificate } from '@scriptorium/pki/certificates';
import type { SignedCore } from '@scriptorium/pki/cms';
import type { Element } from '@xmldom/xmldom';
import { DIGESTS, type DigestAlgorithm, digest } from './algorithms.ts';
import { readBase64 } from './read-signature.ts';
import { SignatureFormatError, UnsupportedMethodError } from './signature-errors.ts';
import { childrenOf, DSIG, onlyChild, XADES } from './xml-dom.ts';

const NAMES_MAX = 20;

/** Returns the serial number in the decimal form of XML signatures. */
export const decimalSerial = ({ serialNumber }: { serialNumber: string }): string =>
  BigInt(`0x${serialNumber}`).toString();

/** Whether a signature names this certificate. */
type CertificateName = (certificate: Certificate) => boolean;

function required(parent: Element | undefined, namespace: string, name: string): Element {
  const found = parent && onlyChild(parent, namespace, name);
  if (found === undefined) throw new SignatureFormatError('it names its certificate in an unknown way');
  return found;
}

/** Reads a Cert of XAdES (EN 319 132-1 §5.2.2): a digest, and optionally issuer and serial number. */
function readName(cert: Element): CertificateName {
  const certDigest = required(cert, XADES, 'CertDigest');
  const hash = DIGESTS.get(required(certDigest, DSIG, 'DigestMethod').getAttribute('Algorithm') ?? '');
  if (hash === undefined)
    throw new UnsupportedMethodError('it names its certificate by an unsupported digest');
  const expected = readBase64(required(certDigest, DSIG, 'DigestValue'));
  const isNumbered = readNumber(cert);
  return (certificate) => hasDigest(certificate, hash, expected) && isNumbered(certificate);
}

function hasDigest({ der }: Certificate, hash: DigestAlgorithm, expected: Buffer): boolean {
  return digest(hash, der).equals(expected);
}

/** Ignores the text of the issuer's name: producers format it differently, and the digest covers it too. */
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

/** Reads the signed names of the signer: each list must contain the signer's certificate. Throws SignatureFormatError. */
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

/** The signer, as far as the signature alone shows. */
export interface ChosenSigner extends Pick<SignedCore, 'signer' | 'namesSigner' | 'signatureHolds'> {
  /** Whether more than one certificate fits and the signature names none of them. */
  isAmbiguous: boolean;
}

/**
 * Finds the certificate of the signer: the one that the signed properties name, or otherwise the one whose key made the
 * value. Throws SignatureFormatError.
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
