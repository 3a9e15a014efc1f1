export { issuerSerial, namesCertificate } from '../cms/signing-certificate.ts';
export { hashName } from '../x509/algorithms.ts';
export { buildChain } from '../x509/build-chain.ts';
export {
  type Certificate,
  certificateOf,
  displayName,
  distinguishedName,
  isSelfSigned,
  isValidAt,
  readCertificate,
  tryReadCertificate,
} from '../x509/certificate.ts';
export { type CertificateFacts, certificateFacts, type QcType } from '../x509/certificate-facts.ts';
export type { JudgedAs } from '../x509/path-faults.ts';
export { nameKey } from '../x509/same-name.ts';
export { PathEffort, type PathOptions, type ValidatedPath, validatePath } from '../x509/validate-path.ts';
