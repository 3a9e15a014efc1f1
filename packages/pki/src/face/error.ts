export { DerError } from '../asn1/der-reader.ts';
export { PkiError, signingKeyInvalid } from '../pki-error.ts';
