export type { ValidationData } from '../keys/raw-signer.ts';
export { findStatus, type StatusRequest } from '../revocation/certificate-status.ts';
export { CrlSigners } from '../revocation/crl-signers.ts';
export { EmbeddedRevocation } from '../revocation/embedded-revocation.ts';
export { judgeRevocation, type RevocationOptions } from '../revocation/judge-revocation.ts';
export type { Question } from '../revocation/ocsp.ts';
export { type DatedStatus, SKEW_MS_MAX } from '../revocation/revocation.ts';
export { isStoredData } from '../revocation/stored-data.ts';
export { collectValidationData } from '../revocation/validation-data.ts';
