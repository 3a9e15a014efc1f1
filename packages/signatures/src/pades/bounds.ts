/** What the signatures of one PDF may cost, beside what reading it may. */
export const SIGNATURE_BOUNDS = {
  /** Of a document security store: certificates, answers and lists. */
  storedMax: 2_000,
  storedBytesMax: 64 * 1024 * 1024,
  signaturesMax: 250,
  /** That all signatures of a document lock. */
  lockedNamesMax: 50_000,
  /** From the first signature on. */
  signedRevisionsMax: 1_000,
  /** What all signatures of a document cover, taken together. */
  signedBytesMax: 1024 * 1024 * 1024,
} as const;
