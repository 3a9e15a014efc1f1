// biome-ignore-all lint/style/noExcessiveLinesPerFile: a table, which is read as one
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
 * What a reason means for the verdict: `error` fails the signature, `doubt` leaves it undecided, `untrusted` is a chain that no
 * given anchor ends, `warning` and `info` change nothing.
 */
export type Severity = 'error' | 'doubt' | 'untrusted' | 'warning' | 'info';

interface ReasonEntry {
  check: CheckName;
  severity: Severity;
  /** Sub-indication of ETSI EN 319 102-1, 5.1.3; for `error`, `doubt` and `untrusted`. */
  subIndication?: string;
  meaning: string;
}

const reason = (
  check: CheckName,
  severity: Severity,
  meaning: string,
  subIndication?: string,
): ReasonEntry => ({ check, severity, meaning, ...(subIndication && { subIndication }) });

/** The only source of the codes that a verification gives: `docs/reference/verification-codes.md` and the OpenAPI document are made from it. */
export const REASONS = {
  BYTE_RANGE_INVALID: reason(
    'format',
    'error',
    'The byte range is not four non-negative integers from 0 within the file.',
    'FORMAT_FAILURE',
  ),
  BYTE_RANGE_GAP: reason(
    'format',
    'error',
    'What the byte range leaves out is not exactly the value of the signature.',
    'FORMAT_FAILURE',
  ),
  DUPLICATE_KEY: reason(
    'format',
    'error',
    'A key stands twice where readers differ in which one they take.',
    'FORMAT_FAILURE',
  ),
  CONTENTS_INVALID: reason(
    'format',
    'error',
    'The signature has no value, an empty one, or one that is no hexadecimal string.',
    'FORMAT_FAILURE',
  ),
  STRUCTURE_BROKEN: reason(
    'format',
    'error',
    'The file, or a revision of it, is only read by guessing: readers may see different documents.',
    'FORMAT_FAILURE',
  ),
  SIGNATURE_UNLISTED: reason(
    'format',
    'error',
    'The signature is not in the form of the document: a page shows it, or an earlier revision had it.',
    'FORMAT_FAILURE',
  ),
  CMS_INVALID: reason('format', 'error', 'The value is no well-formed CMS of one signer.', 'FORMAT_FAILURE'),
  CONTENT_ENCAPSULATED: reason(
    'format',
    'error',
    'The CMS holds what it signs by itself: it says nothing of the document.',
    'FORMAT_FAILURE',
  ),
  XML_SIGNATURE_INVALID: reason(
    'format',
    'error',
    'The part holds no well-formed XML signature of a package.',
    'FORMAT_FAILURE',
  ),
  FORMAT_UNSUPPORTED: reason(
    'format',
    'doubt',
    'The signature is of a kind that is not checked here.',
    'SIGNED_DATA_NOT_FOUND',
  ),
  COVERAGE_PARTIAL: reason(
    'coverage',
    'error',
    'The signature does not cover the document up to the end of a revision.',
    'FORMAT_FAILURE',
  ),
  PART_UNSIGNED: reason(
    'coverage',
    'error',
    'A part of the content is not covered by the signature.',
    'FORMAT_FAILURE',
  ),
  RELATIONSHIP_UNSIGNED: reason(
    'coverage',
    'error',
    'A relationship of the content is not covered by the signature.',
    'FORMAT_FAILURE',
  ),
  CONTENT_TYPE_UNKNOWN: reason(
    'coverage',
    'error',
    'A part has a content type that no document has, or that the signature does not name.',
    'FORMAT_FAILURE',
  ),
  PROPERTIES_UNSIGNED: reason(
    'coverage',
    'info',
    'The properties of the document (title, author and the like) are not covered, as Office leaves them.',
  ),
  PROPERTIES_SHOWN: reason(
    'coverage',
    'doubt',
    'The text shows properties of the document that are not covered: others may read another title in it.',
    'SIG_CONSTRAINTS_FAILURE',
  ),
  DIGEST_MISMATCH: reason('digest', 'error', 'What was signed was changed afterwards.', 'HASH_FAILURE'),
  PART_MISSING: reason('digest', 'error', 'A part that was signed is missing.', 'HASH_FAILURE'),
  SIGNATURE_INVALID: reason(
    'signature',
    'error',
    'The signature value is not that of the certificate that it names.',
    'SIG_CRYPTO_FAILURE',
  ),
  SIGNER_CERTIFICATE_MISSING: reason(
    'signature',
    'error',
    'The certificate of the signer is not in the signature.',
    'NO_SIGNING_CERTIFICATE_FOUND',
  ),
  ALGORITHM_UNSUPPORTED: reason(
    'signature',
    'doubt',
    'The signature uses an algorithm that is not checked here.',
    'CRYPTO_CONSTRAINTS_FAILURE',
  ),
  SIGNING_CERTIFICATE_MISMATCH: reason(
    'signingCertificateAttribute',
    'error',
    'The signed attributes name another certificate than the one that signed.',
    'SIG_CONSTRAINTS_FAILURE',
  ),
  SIGNING_CERTIFICATE_REQUIRED: reason(
    'signingCertificateAttribute',
    'error',
    'A signature of this format must name its certificate in what it signs, and does not.',
    'SIG_CONSTRAINTS_FAILURE',
  ),
  SIGNING_CERTIFICATE_ABSENT: reason(
    'signingCertificateAttribute',
    'info',
    'The signed attributes do not name the certificate; the format does not ask for it.',
  ),
  CHAIN_UNTRUSTED: reason(
    'chain',
    'untrusted',
    'No certificate that is trusted vouches for the signer.',
    'NO_CERTIFICATE_CHAIN_FOUND',
  ),
  CHAIN_INVALID: reason(
    'chain',
    'error',
    'A certificate of the chain may not do what it did there.',
    'CHAIN_CONSTRAINTS_FAILURE',
  ),
  CERTIFICATE_EXPIRED: reason(
    'chain',
    'doubt',
    'A certificate has expired, and nothing proves that the signature is older.',
    'OUT_OF_BOUNDS_NO_POE',
  ),
  SIGNED_AFTER_EXPIRY: reason(
    'chain',
    'error',
    'The signature is proven to be younger than its certificate was valid.',
    'EXPIRED',
  ),
  CERTIFICATE_NOT_YET_VALID: reason(
    'chain',
    'error',
    'A certificate was not valid yet at that time.',
    'NOT_YET_VALID',
  ),
  CERTIFICATE_REVOKED: reason(
    'revocation',
    'doubt',
    'A certificate is revoked, and nothing proves that the signature is older.',
    'REVOKED_NO_POE',
  ),
  SIGNED_AFTER_REVOCATION: reason(
    'revocation',
    'error',
    'The certificate was revoked before the signature is proven to have been there.',
    'REVOKED',
  ),
  REVOKED_LATER: reason(
    'revocation',
    'info',
    'The certificate was revoked after the signature is proven to have been there.',
  ),
  REVOCATION_UNKNOWN: reason(
    'revocation',
    'warning',
    'Nothing at hand tells whether a certificate is revoked; its authorities were not asked.',
  ),
  REVOCATION_UNAVAILABLE: reason(
    'revocation',
    'doubt',
    'The authorities were asked whether a certificate is revoked, and gave no usable answer.',
    'TRY_LATER',
  ),
  TIMESTAMP_INVALID: reason(
    'timestamp',
    'doubt',
    'A time-stamp is not about this signature, or does not hold.',
    'TIMESTAMP_ORDER_FAILURE',
  ),
  TIMESTAMP_UNTRUSTED: reason(
    'timestamp',
    'warning',
    'No certificate that is trusted, and good still, vouches for the time-stamping authority: the time is not proven.',
  ),
  SIGNING_TIME_AMBIGUOUS: reason(
    'format',
    'warning',
    'The signature states more than one time at which it was made.',
  ),
  TIMESTAMP_ORDER: reason(
    'timestamp',
    'warning',
    'The signer claims a later time than a time-stamp proves, or it is later than the time of judgement.',
  ),
  WEAK_ALGORITHM: reason(
    'policy',
    'doubt',
    'MD5, SHA-1 or an RSA key below 2,048 bits: others can make such signatures.',
    'CRYPTO_CONSTRAINTS_FAILURE',
  ),
  MODIFICATION_FORBIDDEN: reason(
    'policy',
    'error',
    'The document was changed after it was signed in a way that is not permitted; `modifications` says where.',
    'SIG_CONSTRAINTS_FAILURE',
  ),
  MODIFICATION_DOUBTFUL: reason(
    'policy',
    'doubt',
    'What was added later is of a kind that is permitted, and may hide what was signed; `modifications` says where.',
    'SIG_CONSTRAINTS_FAILURE',
  ),
  MODIFICATION_PERMITTED: reason(
    'policy',
    'info',
    'The document was changed after it was signed in ways that are permitted.',
  ),
  SIGNATURE_REPLACED: reason(
    'policy',
    'error',
    'The signature was replaced or removed in a later revision.',
    'SIG_CONSTRAINTS_FAILURE',
  ),
  CERTIFICATION_INVALID: reason(
    'policy',
    'error',
    'The document claims a certification that the signature does not give, or not as the first one.',
    'SIG_CONSTRAINTS_FAILURE',
  ),
} as const satisfies Record<string, ReasonEntry>;

export type ReasonCode = keyof typeof REASONS;

/** Something that speaks against a signature. `message` is public: one sentence, bounded, about what was found. */
export interface Fault {
  code: ReasonCode;
  message: string;
}

/** What may have become of a document after it was signed; `level` of a modification says whether it is permitted. */
export const MODIFICATIONS = {
  VALIDATION_DATA: 'Certificates and answers on their revocation were added (DSS).',
  DOCUMENT_TIMESTAMP: 'The document was time-stamped.',
  SIGNATURE_ADDED: 'A signature was added.',
  SIGNATURE_FIELD_ADDED: 'An empty signature field was added.',
  SIGNATURE_FIELD_CHANGED: 'A signature field was changed.',
  SIGNATURE_REPLACED: 'A signature was replaced or removed.',
  FIELD_VALUE: 'A form field was filled in.',
  FIELD_LOCKED: 'A form field was changed that a signature had locked.',
  FIELD_APPEARANCE: 'A form field looks different, and its value is the same.',
  FIELD_CHANGED: 'A form field was added, removed, moved, or made something else.',
  ANNOTATION_ADDED: 'An annotation was added.',
  ANNOTATION_CHANGED: 'An annotation was changed.',
  ANNOTATION_REMOVED: 'An annotation was removed.',
  CONTENT_COVERED: 'What was added lies over content that was signed.',
  METADATA: 'The metadata of the document were changed.',
  PAGE_TREE: 'Pages were added, removed, or put in another order.',
  PAGE_CONTENT: 'What a page shows was changed.',
  RESOURCE: 'A font, image or other resource was changed.',
  CATALOG: 'Properties of the document as a whole were changed.',
  ACTION: 'An action or script was added or changed.',
  ATTACHMENT: 'A file was attached, changed or removed.',
  SHARED_OBJECT: 'An object was changed that other parts of the document use too.',
  STRUCTURE: 'The file was changed in a way that no reader should accept.',
  OTHER: 'Something else was changed.',
  PART_CHANGED: 'A part of the package was changed.',
  PART_ADDED: 'A part was added to the package.',
  PART_REMOVED: 'A part was removed from the package.',
  RELATIONSHIP_CHANGED: 'A relationship of the package was added, removed, or leads elsewhere.',
} as const;
export type ModificationCode = keyof typeof MODIFICATIONS;
