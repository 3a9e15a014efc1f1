// biome-ignore-all lint/style/noExcessiveLinesPerFile: one table
import type { Answers } from './questions.ts';

/** The checks of a signature, in the order in which a report shows them. */
export const CHECKS = [
  'format',
  'coverage',
  'digest',
  'signature',
  'signingCertificateAttribute',
  'chain',
  'revocation',
  'timestamp',
  'policy',
] as const;
export type CheckName = (typeof CHECKS)[number];

/**
 * The effect of a reason on the verdict: `error` makes the signature invalid, and `doubt` makes it indeterminate. `untrusted`
 * means that the chain does not end at a trust anchor. `warning` and `info` have no effect.
 */
export type Severity = 'error' | 'doubt' | 'untrusted' | 'warning' | 'info';

interface ReasonEntry {
  check: CheckName;
  severity: Severity;
  meaning: string;
  /** Sub-indication of ETSI EN 319 102-1, 5.1.3. */
  subIndication?: string;
  /** What the reason answers to the three questions of a report. */
  answers?: Answers;
}

/** A reason that decides: it must state its sub-indication, and what it answers to at least one question. */
const reason = (
  check: CheckName,
  severity: Exclude<Severity, 'warning' | 'info'>,
  meaning: string,
  subIndication: string,
  answers: Answers,
): ReasonEntry => ({ check, severity, meaning, subIndication, answers });

/** A reason without an effect on the verdict. */
const remark = (check: CheckName, severity: 'warning' | 'info', meaning: string): ReasonEntry => ({
  check,
  severity,
  meaning,
});

/** Nothing that can be relied on: neither the content nor the signer. */
const NOTHING_SHOWN: Answers = { integrity: 'unknown', trust: 'unknown' };

/**
 * The only source of the verification codes: `docs/reference/verification-codes.md` and the OpenAPI document are generated
 * from it.
 */
export const REASONS = {
  BYTE_RANGE_INVALID: reason(
    'format',
    'error',
    'The byte range is not four non-negative integers from 0 within the file.',
    'FORMAT_FAILURE',
    NOTHING_SHOWN,
  ),
  BYTE_RANGE_GAP: reason(
    'format',
    'error',
    'The gap in the byte range is not exactly the signature value.',
    'FORMAT_FAILURE',
    { integrity: 'unknown' },
  ),
  DUPLICATE_KEY: reason(
    'format',
    'error',
    'A key occurs twice in a dictionary; readers differ in which one they use.',
    'FORMAT_FAILURE',
    { integrity: 'unknown' },
  ),
  CONTENTS_INVALID: reason(
    'format',
    'error',
    'The signature value is missing, empty, or not a hexadecimal string.',
    'FORMAT_FAILURE',
    NOTHING_SHOWN,
  ),
  STRUCTURE_BROKEN: reason(
    'format',
    'error',
    'The file, or a revision of it, can only be read by guessing: readers may show different documents.',
    'FORMAT_FAILURE',
    { integrity: 'unknown' },
  ),
  SIGNATURE_UNLISTED: reason(
    'format',
    'error',
    'The form of the document does not list the signature: only a page or an earlier revision has it.',
    'FORMAT_FAILURE',
    { integrity: 'unknown' },
  ),
  CMS_INVALID: reason(
    'format',
    'error',
    'The value is not a well-formed CMS of one signer.',
    'FORMAT_FAILURE',
    NOTHING_SHOWN,
  ),
  CONTENT_ENCAPSULATED: reason(
    'format',
    'error',
    'The CMS contains the data that it signs, so it does not sign the document.',
    'FORMAT_FAILURE',
    { integrity: 'unknown' },
  ),
  XML_SIGNATURE_INVALID: reason(
    'format',
    'error',
    'The part does not contain a well-formed XML signature of a package.',
    'FORMAT_FAILURE',
    NOTHING_SHOWN,
  ),
  FORMAT_UNSUPPORTED: reason(
    'format',
    'doubt',
    'The signature has a format that is not supported.',
    'SIGNED_DATA_NOT_FOUND',
    NOTHING_SHOWN,
  ),
  COVERAGE_PARTIAL: reason(
    'coverage',
    'error',
    'The signature does not cover the document up to the end of a revision.',
    'FORMAT_FAILURE',
    { integrity: 'changed' },
  ),
  PART_UNSIGNED: reason(
    'coverage',
    'error',
    'The signature does not cover a part of the content.',
    'FORMAT_FAILURE',
    { integrity: 'changed' },
  ),
  RELATIONSHIP_UNSIGNED: reason(
    'coverage',
    'error',
    'The signature does not cover a relationship of the content.',
    'FORMAT_FAILURE',
    { integrity: 'changed' },
  ),
  CONTENT_TYPE_UNKNOWN: reason(
    'coverage',
    'error',
    'A part has a content type that documents do not use, or that the signature does not name.',
    'FORMAT_FAILURE',
    { integrity: 'changed' },
  ),
  PROPERTIES_UNSIGNED: remark(
    'coverage',
    'info',
    'The signature does not cover the document properties, such as title and author, as in files signed by Office.',
  ),
  PROPERTIES_SHOWN: reason(
    'coverage',
    'doubt',
    'The text shows document properties that the signature does not cover: their values may have been changed.',
    'SIG_CONSTRAINTS_FAILURE',
    { integrity: 'unknown' },
  ),
  DIGEST_MISMATCH: reason(
    'digest',
    'error',
    'The document was modified after signing (digest mismatch).',
    'HASH_FAILURE',
    { integrity: 'changed' },
  ),
  PART_MISSING: reason('digest', 'error', 'A signed part is missing.', 'HASH_FAILURE', {
    integrity: 'changed',
  }),
  SIGNATURE_INVALID: reason(
    'signature',
    'error',
    'The signature value does not match the signed data and the key of the certificate.',
    'SIG_CRYPTO_FAILURE',
    NOTHING_SHOWN,
  ),
  SIGNER_CERTIFICATE_MISSING: reason(
    'signature',
    'error',
    'The signature does not contain the certificate of the signer.',
    'NO_SIGNING_CERTIFICATE_FOUND',
    NOTHING_SHOWN,
  ),
  ALGORITHM_UNSUPPORTED: reason(
    'signature',
    'doubt',
    'The signature uses an algorithm that is not supported, or another than the one that it names.',
    'CRYPTO_CONSTRAINTS_FAILURE',
    NOTHING_SHOWN,
  ),
  SIGNING_CERTIFICATE_MISMATCH: reason(
    'signingCertificateAttribute',
    'error',
    'The signed attributes name a different certificate than the one that signed.',
    'SIG_CONSTRAINTS_FAILURE',
    { trust: 'unknown' },
  ),
  SIGNING_CERTIFICATE_REQUIRED: reason(
    'signingCertificateAttribute',
    'error',
    'The signed attributes do not name the certificate, which this format requires.',
    'SIG_CONSTRAINTS_FAILURE',
    { trust: 'unknown' },
  ),
  SIGNING_CERTIFICATE_ABSENT: remark(
    'signingCertificateAttribute',
    'info',
    'The signed attributes do not name the certificate; this format does not require it.',
  ),
  CHAIN_UNTRUSTED: reason(
    'chain',
    'untrusted',
    'The certificate of the signer does not chain to a trusted anchor.',
    'NO_CERTIFICATE_CHAIN_FOUND',
    { trust: 'untrusted' },
  ),
  TRUSTED_SERVICE_WITHDRAWN: reason(
    'chain',
    'doubt',
    'By the trusted list, the authority was not a trusted service at the time of signing, and is not one now.',
    'NO_CERTIFICATE_CHAIN_FOUND_NO_POE',
    { trust: 'unconfirmed' },
  ),
  TRUSTED_LIST_STALE: reason(
    'chain',
    'doubt',
    'The trusted list that names the authority was to be replaced before, and the newer one is not known.',
    'TRY_LATER',
    { trust: 'unconfirmed' },
  ),
  TRUSTED_LIST_MISSING: reason(
    'chain',
    'doubt',
    'The trusted list of the country of the authority could not be used.',
    'TRY_LATER',
    { trust: 'untrusted' },
  ),
  CHAIN_INVALID: reason(
    'chain',
    'error',
    'The chain is not valid: a certificate was used in a way that it does not permit.',
    'CHAIN_CONSTRAINTS_FAILURE',
    { trust: 'unsuitable' },
  ),
  CERTIFICATE_EXPIRED: reason(
    'chain',
    'doubt',
    'A certificate has expired, and nothing proves that the signature was made before.',
    'OUT_OF_BOUNDS_NO_POE',
    { trust: 'expired' },
  ),
  SIGNED_AFTER_EXPIRY: reason(
    'chain',
    'error',
    'The earliest proven time of the signature is after the expiry of the certificate.',
    'EXPIRED',
    { trust: 'expired' },
  ),
  CERTIFICATE_NOT_YET_VALID: reason(
    'chain',
    'error',
    'A certificate was not yet valid at the time of signing.',
    'NOT_YET_VALID',
    { trust: 'unsuitable' },
  ),
  CERTIFICATE_REVOKED: reason(
    'revocation',
    'doubt',
    'A certificate is revoked, and nothing proves that the signature was made before.',
    'REVOKED_NO_POE',
    { trust: 'revoked' },
  ),
  SIGNED_AFTER_REVOCATION: reason(
    'revocation',
    'error',
    'The certificate was revoked before the earliest proven time of the signature.',
    'REVOKED',
    { trust: 'revoked' },
  ),
  REVOKED_LATER: remark(
    'revocation',
    'info',
    'The certificate was revoked after the proven time of the signature.',
  ),
  REVOCATION_UNKNOWN: remark(
    'revocation',
    'warning',
    'The available data do not show whether a certificate is revoked; its authorities were not queried.',
  ),
  REVOCATION_UNUSABLE: reason(
    'revocation',
    'doubt',
    'The document contains revocation data for a certificate that cannot be used, and no other data show its status.',
    'TRY_LATER',
    { trust: 'unconfirmed' },
  ),
  REVOCATION_UNAVAILABLE: reason(
    'revocation',
    'doubt',
    'The authorities were queried about the revocation of a certificate and returned no usable response.',
    'TRY_LATER',
    { trust: 'unconfirmed' },
  ),
  TIMESTAMP_INVALID: reason(
    'timestamp',
    'doubt',
    'A time-stamp is not valid, or does not cover this signature.',
    'TIMESTAMP_ORDER_FAILURE',
    { time: 'doubtful' },
  ),
  TIMESTAMP_UNTRUSTED: remark(
    'timestamp',
    'warning',
    'The time-stamping authority does not chain to a trusted anchor that is still valid: the time is not proven.',
  ),
  SIGNING_TIME_AMBIGUOUS: remark('format', 'warning', 'The signature states more than one signing time.'),
  TIMESTAMP_ORDER: remark(
    'timestamp',
    'warning',
    'The claimed signing time is after the time-stamp, or the time-stamp is after the validation time.',
  ),
  WEAK_ALGORITHM: reason(
    'policy',
    'doubt',
    'The signature uses MD5, SHA-1, an RSA key below 2,048 bits or a curve below 224 bits, so others could forge it.',
    'CRYPTO_CONSTRAINTS_FAILURE',
    { integrity: 'unknown', trust: 'unconfirmed' },
  ),
  SHA1_ACCEPTED: remark(
    'policy',
    'warning',
    'The signature relies on SHA-1, and provably existed before the date up to which the request accepts that.',
  ),
  MODIFICATION_FORBIDDEN: reason(
    'policy',
    'error',
    'The document was changed after signing in a way that is not permitted; `modifications` lists the changes.',
    'SIG_CONSTRAINTS_FAILURE',
    { integrity: 'changed' },
  ),
  MODIFICATION_DOUBTFUL: reason(
    'policy',
    'doubt',
    'A permitted change after signing may conceal signed content; `modifications` lists the changes.',
    'SIG_CONSTRAINTS_FAILURE',
    { integrity: 'unknown' },
  ),
  CONTENT_LOOKS_DIFFERENT: reason(
    'policy',
    'doubt',
    'A page does not look as it did when it was signed: content was added, changed or concealed beside permitted changes.',
    'SIG_CONSTRAINTS_FAILURE',
    { integrity: 'unknown' },
  ),
  CONTENT_NOT_COMPARED: reason(
    'policy',
    'doubt',
    'After an update, not all pages could be rendered and compared with the signed ones.',
    'SIG_CONSTRAINTS_FAILURE',
    { integrity: 'unknown' },
  ),
  READERS_DISAGREE: reason(
    'policy',
    'doubt',
    'PDFium or Poppler reads the changed document otherwise: other pages, signatures, words or looks of a page, or nothing.',
    'SIG_CONSTRAINTS_FAILURE',
    { integrity: 'unknown' },
  ),
  STRUCTURE_REPAIRED: reason(
    'policy',
    'doubt',
    'Some readers repair the signed document or a later update, each in its own way: the update decides what they find.',
    'SIG_CONSTRAINTS_FAILURE',
    { integrity: 'unknown' },
  ),
  MODIFICATION_PERMITTED: remark(
    'policy',
    'info',
    'The document was changed after signing in permitted ways.',
  ),
  SIGNATURE_REPLACED: reason(
    'policy',
    'error',
    'The signature was replaced or removed in a later revision.',
    'SIG_CONSTRAINTS_FAILURE',
    { integrity: 'changed' },
  ),
  CERTIFICATION_INVALID: reason(
    'policy',
    'error',
    'The document claims a certification that the signature does not give, or not as the first signature.',
    'SIG_CONSTRAINTS_FAILURE',
    { integrity: 'unknown' },
  ),
} as const satisfies Record<string, ReasonEntry>;

export type ReasonCode = keyof typeof REASONS;

/** A finding against a signature. `message` is public: one bounded sentence. */
export interface Fault {
  code: ReasonCode;
  message: string;
  /** Set if the only weakness is SHA-1, as in `@scriptorium/pki/fault`. */
  isSha1?: boolean;
}

/** The changes of a document after signing; `level` of a modification says whether the change is permitted. */
export const MODIFICATIONS = {
  VALIDATION_DATA: 'Certificates and revocation data were added (DSS).',
  DOCUMENT_TIMESTAMP: 'The document was time-stamped.',
  SIGNATURE_ADDED: 'A signature was added.',
  SIGNATURE_FIELD_ADDED: 'An empty signature field was added.',
  SIGNATURE_FIELD_CHANGED: 'A signature field was changed.',
  SIGNATURE_REPLACED: 'A signature was replaced or removed.',
  FIELD_VALUE: 'A form field was filled in.',
  FIELD_LOCKED: 'A form field locked by a signature was changed.',
  FIELD_APPEARANCE: 'The appearance of a form field was changed, but not its value.',
  FIELD_CHANGED: 'A form field was added, removed, moved, or made something else.',
  ANNOTATION_ADDED: 'An annotation was added.',
  ANNOTATION_CHANGED: 'An annotation was changed.',
  ANNOTATION_REMOVED: 'An annotation was removed.',
  CONTENT_COVERED: 'Added content covers signed content.',
  METADATA: 'The metadata of the document was changed.',
  PAGE_TREE: 'Pages were added, removed, or reordered.',
  PAGE_CONTENT: 'The content of a page was changed.',
  RESOURCE: 'A font, image or other resource was changed.',
  CATALOG: 'Properties of the whole document were changed.',
  ACTION: 'An action or script was added or changed.',
  ATTACHMENT: 'An attached file was added, changed or removed.',
  SHARED_OBJECT: 'An object shared with other parts of the document was changed.',
  STRUCTURE: 'The file structure was changed in a way that readers should reject.',
  LOGICAL_STRUCTURE: 'The logical structure (tags, texts for machines) was changed.',
  PART_CHANGED: 'A part of the package was changed.',
  PART_ADDED: 'A part was added to the package.',
  PART_REMOVED: 'A part was removed from the package.',
  RELATIONSHIP_CHANGED: 'A relationship of the package was added, removed, or retargeted.',
} as const;
export type ModificationCode = keyof typeof MODIFICATIONS;
