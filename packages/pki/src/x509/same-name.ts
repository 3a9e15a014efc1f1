import { TAG } from '../asn1/der.ts';
import { DerError, type DerValue, readChildren, readDer, readOid, readSequence } from '../asn1/der-reader.ts';

const STRINGS: Record<number, BufferEncoding | 'utf16be' | undefined> = {
  [TAG.utf8String]: 'utf8',
  // PrintableString, TeletexString, IA5String
  19: 'latin1',
  20: 'latin1',
  22: 'latin1',
  // BMPString
  30: 'utf16be',
};

/**
 * Whether two names in DER are equal. Programs re-encode names with other string types, so RFC 5280, 7.1 compares
 * them without regard to type, case and white space.
 */
export function isSameName(one: Buffer, other: Buffer): boolean {
  if (one.equals(other)) return true;
  try {
    return plain(one) === plain(other);
  } catch (error) {
    if (error instanceof DerError) return false;
    throw error;
  }
}

const plain = (name: Buffer): string => JSON.stringify(plainRdns(name));

/** The normalized RDNs of a name in DER, the highest first. Throws DerError. */
export function plainRdns(name: Buffer): string[] {
  return readSequence(readDer(name)).map((part) =>
    JSON.stringify(readChildren(part).map(plainAttribute).toSorted()),
  );
}

function plainAttribute(attribute: DerValue): string {
  const [type, value] = readSequence(attribute);
  return `${readOid(type)}=${value === undefined ? '' : plainValue(value)}`;
}

function plainValue({ tag, content, bytes }: DerValue): string {
  const encoding = STRINGS[tag];
  if (encoding === undefined || (encoding === 'utf16be' && content.length % 2 !== 0))
    return bytes.toString('hex');
  const text =
    encoding === 'utf16be' ? Buffer.from(content).swap16().toString('utf16le') : content.toString(encoding);
  return text.trim().replace(/\s+/g, ' ').toLowerCase();
}
