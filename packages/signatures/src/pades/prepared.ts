import { createHash } from 'node:crypto';
import type { HashAlgorithm } from '@scriptorium/pki/keys';

/** What a signature covers: offset and length before its value, offset and length behind it. */
export type ByteRange = readonly [number, number, number, number];

/** A PDF that has everything but the value of its last signature. */
export interface PreparedPdf {
  bytes: Buffer;
  byteRange: ByteRange;
  fieldName: string;
}

/** Bytes that a CMS may take. */
export const roomOf = ({ byteRange: [, length, second] }: PreparedPdf): number => (second - length - 2) / 2;

/** The two parts that are signed, without copying. */
export function signedParts(bytes: Buffer, byteRange: ByteRange): [Buffer, Buffer] {
  const [first, length, second, rest] = byteRange;
  return [bytes.subarray(first, first + length), bytes.subarray(second, second + rest)];
}

/** The digest that the CMS has to name. */
export function digestOf({ bytes, byteRange }: PreparedPdf, hash: HashAlgorithm): Buffer {
  const [before, behind] = signedParts(bytes, byteRange);
  return createHash(hash).update(before).update(behind).digest();
}

/** Throws where a CMS does not fit into the gap: a fault of whoever sized it. */
export function requireRoom(prepared: PreparedPdf, cms: Buffer): void {
  const room = roomOf(prepared);
  if (cms.length > room) throw new Error(`a CMS of ${cms.length} bytes does not fit into ${room}`);
}

/**
 * Writes the CMS into the gap, in place: the bytes of `prepared` are those of the signed document afterwards. A CMS
 * that does not fit is a fault of whoever sized the gap.
 */
export function embedSignature(prepared: PreparedPdf, cms: Buffer): Buffer {
  requireRoom(prepared, cms);
  const [, length] = prepared.byteRange;
  prepared.bytes.write(cms.toString('hex'), length + 1, 'latin1');
  return prepared.bytes;
}

/** The whole value that a signed document holds in the gap, the zeros behind the CMS included. */
export function embeddedValue({ bytes, byteRange: [, length, second] }: PreparedPdf): Buffer {
  return Buffer.from(bytes.toString('latin1', length + 1, second - 1), 'hex');
}

/** Who makes the CMS. */
export interface CmsMaker {
  hash: HashAlgorithm;
  /** The DER of a detached CMS over what has this digest; at most as long as the gap that was left for it. */
  cms(digest: Buffer): Promise<Buffer>;
}
