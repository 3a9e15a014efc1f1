/** PAdES and XAdES baseline levels (ETSI EN 319 142-1, EN 319 132-1); each includes those before it. */
export const SIGNATURE_LEVELS = ['B-B', 'B-T', 'B-LT', 'B-LTA'] as const;
export type SignatureLevel = (typeof SIGNATURE_LEVELS)[number];

export const isAtLeast = (level: SignatureLevel, least: SignatureLevel): boolean =>
  SIGNATURE_LEVELS.indexOf(level) >= SIGNATURE_LEVELS.indexOf(least);

/** A time-stamp over the signature value. */
export const hasTimestamp = (level: SignatureLevel): boolean => isAtLeast(level, 'B-T');

/** Certificates and revocation data. */
export const hasValidationData = (level: SignatureLevel): boolean => isAtLeast(level, 'B-LT');

/** A time-stamp over the whole document with its validation data. */
export const hasDocumentTimestamp = (level: SignatureLevel): boolean => isAtLeast(level, 'B-LTA');

/** Returns the level of a baseline signature with these parts (EN 319 142-1, 6; EN 319 132-1, 6). */
export function levelWith(parts: {
  /** Whether the signature has a time-stamp of its own. */
  hasOwnStamp: boolean;
  /** The number of time-stamps over the document that were added after the signature. */
  laterStamps: number;
  hasRevocationData: boolean;
}): SignatureLevel {
  const stamps = (parts.hasOwnStamp ? 1 : 0) + parts.laterStamps;
  if (stamps === 0) return 'B-B';
  if (!parts.hasRevocationData) return 'B-T';
  // The last one is over the data, which include an earlier time-stamp.
  return stamps > 1 && parts.laterStamps > 0 ? 'B-LTA' : 'B-LT';
}
