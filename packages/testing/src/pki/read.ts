import { type BaseBlock, fromBER, type ObjectIdentifier } from 'asn1js';

/** A received ASN.1 value. */
export interface Asn1Value {
  /** The first byte. */
  tag: number;
  /** The whole value, including tag and length. */
  der: Buffer;
  /** Without tag and length. */
  content: Buffer;
  members: Asn1Value[];
  /** Dotted; empty if it is not an OBJECT IDENTIFIER. */
  oid: string;
}

/** Reads one value without trailing bytes; throws if it is not DER. */
export function readAsn1(bytes: Buffer): Asn1Value {
  const { offset, result } = fromBER(bytes, { parseEmbedded: false });
  if (offset !== bytes.length) throw new Error(`not DER: ${result.error}`);
  return read(result);
}

function read(block: BaseBlock): Asn1Value {
  const { idBlock, lenBlock } = block;
  const bytes = Buffer.from(block.valueBeforeDecodeView);
  const members = idBlock.isConstructed ? (block.valueBlock as unknown as { value: BaseBlock[] }).value : [];
  return {
    tag: bytes[0] ?? 0,
    der: bytes,
    content: bytes.subarray(idBlock.blockLength + lenBlock.blockLength),
    members: members.map(read),
    oid: bytes[0] === 6 ? (block as ObjectIdentifier).getValue() : '',
  };
}

/** The member at a path of positions; throws if it is missing. */
export function memberAt(value: Asn1Value, ...path: number[]): Asn1Value {
  return path.reduce((within, index) => {
    const member = within.members[index];
    if (member === undefined) throw new Error(`no member ${path.join('.')}`);
    return member;
  }, value);
}
