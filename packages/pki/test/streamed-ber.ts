import { TAG } from '../src/asn1/der.ts';
import { readChildren, readDer } from '../src/asn1/der-reader.ts';

const PIECE_OCTETS = 100;
const END = Buffer.of(0, 0);

/** Encodes a value like a streaming writer: indefinite lengths, long strings in pieces (X.690, 8.1.3.6, 8.7.3). */
export function streamed(der: Buffer): Buffer {
  const value = readDer(der);
  if ((value.tag & 0x20) !== 0)
    return Buffer.concat([
      Buffer.of(value.tag, 0x80),
      ...readChildren(value).map((child) => streamed(child.bytes)),
      END,
    ]);
  const isString = value.tag === TAG.octetString || value.tag === 0x80;
  if (!isString || value.content.length <= PIECE_OCTETS) return der;
  const pieces: Buffer[] = [];
  for (let start = 0; start < value.content.length; start += PIECE_OCTETS) {
    const piece = value.content.subarray(start, start + PIECE_OCTETS);
    pieces.push(Buffer.of(TAG.octetString, piece.length), piece);
  }
  return Buffer.concat([Buffer.of(value.tag | 0x20, 0x80), ...pieces, END]);
}
