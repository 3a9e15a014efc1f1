/** PAdES and XAdES baseline levels (ETSI EN 319 142-1, EN 319 132-1); each includes those before it. */
export const SIGNATURE_LEVELS = ['B-B', 'B-T', 'B-LT', 'B-LTA'] as const;
export type SignatureLevel = (typeof SIGNATURE_LEVELS)[number];

const isAtLeast = (level: SignatureLevel, least: SignatureLevel): boolean =>
  SIGNATURE_LEVELS.indexOf(level) >= SIGNATURE_LEVELS.indexOf(least);

/** A time-stamp over the signature value. */
export const hasTimestamp = (level: SignatureLevel): boolean => isAtLeast(level, 'B-T');

/** Certificates and revocation data. */
export const hasValidationData = (level: SignatureLevel): boolean => isAtLeast(level, 'B-LT');

/** A time-stamp over the whole document with its validation data. */
export const hasDocumentTimestamp = (level: SignatureLevel): boolean => isAtLeast(level, 'B-LTA');

/** Returns the level of a baseline signature with these parts (EN 319 142-1, 6; EN 319 132-1, 6). */
export function levelWith(parts: {
  timestamp: boolean;
  validationData: boolean;
  /** Over the validation data, which include an earlier time-stamp. */
  laterTimestamp: boolean;
}): SignatureLevel {
  if (!parts.timestamp) return 'B-B';
  if (!parts.validationData) return 'B-T';
  return parts.laterTimestamp ? 'B-LTA' : 'B-LT';
}
