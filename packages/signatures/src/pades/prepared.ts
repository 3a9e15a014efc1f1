import { createHash } from 'node:crypto';
import type { HashAlgorithm } from '@scriptorium/pki/keys';

/** The bytes that a signature covers: offset and length before its value, offset and length after it. */
export type ByteRange = readonly [number, number, number, number];

/** A PDF that lacks only the value of its last signature. */
export interface PreparedPdf {
  bytes: Buffer;
  byteRange: ByteRange;
  fieldName: string;
}

/** Returns the number of bytes available for a CMS. */
export const roomOf = ({ byteRange: [, length, second] }: PreparedPdf): number => (second - length - 2) / 2;

/** Returns the two signed parts without copying. */
export function signedParts(bytes: Buffer, byteRange: ByteRange): [Buffer, Buffer] {
  const [first, length, second, rest] = byteRange;
  return [bytes.subarray(first, first + length), bytes.subarray(second, second + rest)];
}

/** Returns the digest that the CMS must contain. */
export function digestOf({ bytes, byteRange }: PreparedPdf, hash: HashAlgorithm): Buffer {
  const [before, behind] = signedParts(bytes, byteRange);
  return createHash(hash).update(before).update(behind).digest();
}

/** Throws if a CMS does not fit into the gap: the caller reserved too little. */
export function requireRoom(prepared: PreparedPdf, cms: Buffer): void {
  const room = roomOf(prepared);
  if (cms.length > room) throw new Error(`a CMS of ${cms.length} bytes does not fit into ${room}`);
}

/**
 * Writes the CMS into the gap, in place: the bytes of `prepared` become those of the signed document. Throws if the CMS does
 * not fit, because the caller reserved too little.
 */
export function embedSignature(prepared: PreparedPdf, cms: Buffer): Buffer {
  requireRoom(prepared, cms);
  const [, length] = prepared.byteRange;
  prepared.bytes.write(cms.toString('hex'), length + 1, 'latin1');
  return prepared.bytes;
}

/** Returns the whole value in the gap of a signed document, including the zeros after the CMS. */
export function embeddedValue({ bytes, byteRange: [, length, second] }: PreparedPdf): Buffer {
  return Buffer.from(bytes.toString('latin1', length + 1, second - 1), 'hex');
}

/** Creates the CMS. */
export interface CmsMaker {
  hash: HashAlgorithm;
  /** Returns the DER of a detached CMS over data with this digest; at most as long as the reserved gap. */
  cms(digest: Buffer): Promise<Buffer>;
}
