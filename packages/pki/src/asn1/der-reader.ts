import { TAG } from './der.ts';

const LENGTH_OCTETS_MAX = 4;
const CHILDREN_MAX = 10_000;
/**
 * The longest identifiers in use have some 20 octets. The cost of reading one grows with the square of its length.
 */
const OID_OCTETS_MAX = 256;
/** Enough for a version, an iteration count or a salt length. */
const SMALL_INTEGER_OCTETS_MAX = 5;

/** The bytes are not the expected DER. Callers that know what the bytes hold add that to the message. */
export class DerError extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'DerError';
  }
}

/** One value, as views on the bytes that it was read from. */
export interface DerValue {
  /** The identifier octet. */
  tag: number;
  content: Buffer;
  /** Includes the identifier and length octets. */
  bytes: Buffer;
}

/**
 * Reads the only value in `bytes`. Throws DerError for anything but DER with a low tag number, and for trailing
 * bytes.
 */
export function readDer(bytes: Uint8Array, tag?: number): DerValue {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const value = readAt(buffer, 0);
  if (value.bytes.length !== buffer.length) throw new DerError('trailing bytes after the value');
  return tag === undefined ? value : expectTag(value, tag);
}

/** Reads the value at the start of `bytes`. Throws DerError. */
export function readLeading(bytes: Buffer): DerValue {
  return readAt(bytes, 0);
}

/** The values inside a constructed value. Throws DerError. */
export function readChildren(value: DerValue): DerValue[] {
  if ((value.tag & 0x20) === 0) throw new DerError('expected a constructed value');
  const children: DerValue[] = [];
  for (let offset = 0; offset < value.content.length; ) {
    if (children.length === CHILDREN_MAX) throw new DerError(`more than ${CHILDREN_MAX} values in one value`);
    const child = readAt(value.content, offset);
    children.push(child);
    offset += child.bytes.length;
  }
  return children;
}

/** The values inside a SEQUENCE. Throws DerError, also if `value` is absent. */
export function readSequence(value: DerValue | undefined): DerValue[] {
  return readChildren(expectTag(value, TAG.sequence));
}

/** The only value inside `[n] EXPLICIT`. Throws DerError. */
export function readOnlyChild(value: DerValue): DerValue {
  const [child, second] = readChildren(value);
  if (child === undefined || second !== undefined) throw new DerError('expected exactly one value');
  return child;
}

/** Returns `value` if it is present and has this identifier octet. Throws DerError. */
export function expectTag(value: DerValue | undefined, tag: number): DerValue {
  if (value?.tag === tag) return value;
  throw new DerError(`expected tag ${tag.toString(16)}, got ${value?.tag.toString(16) ?? 'the end'}`);
}

function readAt(buffer: Buffer, offset: number): DerValue {
  const tag = octetAt(buffer, offset);
  if ((tag & 0x1f) === 0x1f) throw new DerError('tag number above 30');
  const { start, length } = readLength(buffer, offset + 1);
  const end = start + length;
  if (end > buffer.length) throw new DerError('length beyond the end');
  return { tag, content: buffer.subarray(start, end), bytes: buffer.subarray(offset, end) };
}

function readLength(buffer: Buffer, offset: number): { start: number; length: number } {
  const first = octetAt(buffer, offset);
  if (first < 0x80) return { start: offset + 1, length: first };
  const octets = first & 0x7f;
  if (octets === 0) throw new DerError('indefinite length');
  if (octets > LENGTH_OCTETS_MAX) throw new DerError('length of more than four octets');
  let length = 0;
  for (let index = 1; index <= octets; index++) length = length * 256 + octetAt(buffer, offset + index);
  if (length < 0x80 || length < 256 ** (octets - 1)) throw new DerError('length not in its shortest form');
  return { start: offset + 1 + octets, length };
}

function octetAt(buffer: Buffer, offset: number): number {
  const octet = buffer[offset];
  if (octet === undefined) throw new DerError('unexpected end of data');
  return octet;
}

/** Returns dotted decimals. Throws DerError. */
export function readOid(value: DerValue | undefined): string {
  const { content } = expectTag(value, TAG.oid);
  if (content.length > OID_OCTETS_MAX)
    throw new DerError(`object identifier of more than ${OID_OCTETS_MAX} octets`);
  const arcs: bigint[] = [];
  let arc = 0n;
  let isInside = false;
  for (const octet of content) {
    if (!isInside && octet === 0x80) throw new DerError('object identifier with padding');
    arc = (arc << 7n) | BigInt(octet & 0x7f);
    isInside = octet >= 0x80;
    if (isInside) continue;
    arcs.push(arc);
    arc = 0n;
  }
  const [joint, ...rest] = arcs;
  if (joint === undefined || isInside) throw new DerError('truncated object identifier');
  const first = joint < 80n ? joint / 40n : 2n;
  return [first, joint - first * 40n, ...rest].join('.');
}

/** The octets of an INTEGER, which must be in its shortest form. Throws DerError. */
export function readInteger(value: DerValue | undefined): Buffer {
  const { content } = expectTag(value, TAG.integer);
  const [first, second = 0] = content;
  if (first === undefined) throw new DerError('integer without octets');
  const isPadded =
    content.length > 1 && ((first === 0 && second < 0x80) || (first === 0xff && second >= 0x80));
  if (isPadded) throw new DerError('integer not in its shortest form');
  return content;
}

/** A non-negative INTEGER below 2^39. Throws DerError. */
export function readNumber(value: DerValue | undefined): number {
  const content = readInteger(value);
  const [first = 0] = content;
  if (first >= 0x80 || content.length > SMALL_INTEGER_OCTETS_MAX) throw new DerError('number out of bounds');
  return content.readUIntBE(0, content.length);
}

/** Throws DerError. */
export function readOctetString(value: DerValue | undefined): Buffer {
  return expectTag(value, TAG.octetString).content;
}

/** The octets of a BIT STRING, including the unused bits. Throws DerError. */
export function readBitString(value: DerValue | undefined): Buffer {
  const { content } = expectTag(value, TAG.bitString);
  const [unused] = content;
  if (unused === undefined || unused > 7 || (content.length === 1 && unused > 0))
    throw new DerError('bit string with a wrong number of unused bits');
  return content.subarray(1);
}
