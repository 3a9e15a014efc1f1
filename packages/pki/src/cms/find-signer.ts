import { contextTag, octetString } from '../asn1/der.ts';
import { type DerValue, readSequence } from '../asn1/der-reader.ts';
import { OID } from '../asn1/oids.ts';
import type { Certificate } from '../x509/certificate.ts';
import { isSameName } from '../x509/same-name.ts';
import type { SignedData } from './read-signed-data.ts';
import { namesSigner } from './signing-certificate.ts';

const SUBJECT_KEY_IDENTIFIER = contextTag(0, false);

/**
 * The certificate that the SignerInfo names (RFC 5652, 5.3), by issuer and serial number or by key identifier.
 * Undefined if the data do not include it. The list of certificates is not signed, so if several match, the signed
 * attributes decide. Throws DerError.
 */
export function findSigner({ signer, certificates }: SignedData): Certificate | undefined {
  const isMeant = identifierTest(signer.identifier);
  const [first, ...others] = certificates.filter(isMeant);
  const named = others.find((one) => namesSigner(signer.signed?.attributes, one) === 'yes');
  return first && named && namesSigner(signer.signed?.attributes, first) !== 'yes' ? named : first;
}

function identifierTest(identifier: DerValue): (certificate: Certificate) => boolean {
  if (identifier.tag === SUBJECT_KEY_IDENTIFIER) {
    const keyIdentifier = octetString(identifier.content);
    return ({ extensions }) => extensions.get(OID.subjectKeyIdentifier)?.value.equals(keyIdentifier) === true;
  }
  const [issuer, serialNumber] = readSequence(identifier);
  return (one) =>
    serialNumber?.content.equals(one.serialNumber) === true &&
    issuer !== undefined &&
    isSameName(issuer.bytes, one.issuer);
}
