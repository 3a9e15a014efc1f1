/** Limits for the signatures of one PDF, in addition to those for reading it. */
export const SIGNATURE_BOUNDS = {
  /** Entries of a document security store: certificates, OCSP responses and CRLs. */
  storedMax: 2_000,
  storedBytesMax: 64 * 1024 * 1024,
  /** Bytes of streams of updates, unpacked to be searched for hidden objects. */
  searchedBytesMax: 64 * 1024 * 1024,
  signaturesMax: 250,
  /** Names locked by all signatures of a document together. */
  lockedNamesMax: 50_000,
  /** Revisions from the first signature on. */
  signedRevisionsMax: 1_000,
  /** Bytes covered by all signatures of a document together. */
  signedBytesMax: 1024 * 1024 * 1024,
} as const;
