export { digestInfo, digestOid, pssParameters, signatureOid } from '../keys/algorithm-identifiers.ts';
export { buildCertificate } from '../keys/certificate-builder.ts';
export { type CertificateList, readCertificates } from '../keys/certificates.ts';
export { checkValidity, validityObjection } from '../keys/check-signer.ts';
export { describeToBeSigned, externalSigner } from '../keys/external.ts';
export { foreignSigner, sideBySide } from '../keys/foreign-signer.ts';
export { readPem, readPemCertificates } from '../keys/pem.ts';
export { readPkcs12 } from '../keys/pkcs12.ts';
export { type KeyMaterial, privateKeySigner } from '../keys/private-key-signer.ts';
export type { HashAlgorithm, RawSigner, SignatureAlgorithm } from '../keys/raw-signer.ts';
export {
  algorithmNames,
  HASH_OCTETS,
  type RsaPadding,
  SIGNATURE_NAMES,
  type SignatureScheme,
  signatureScheme,
} from '../keys/signature-scheme.ts';
