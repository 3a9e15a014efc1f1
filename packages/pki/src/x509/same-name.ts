import { TAG } from '../asn1/der.ts';
import { DerError, type DerValue, readChildren, readDer, readOid, readSequence } from '../asn1/der-reader.ts';

type Decoder = (content: Buffer) => string | undefined;

const decoder =
  (label: string): Decoder =>
  (content) => {
    try {
      return new TextDecoder(label, { fatal: true, ignoreBOM: true }).decode(content);
    } catch {
      return undefined;
    }
  };
const ascii: Decoder = (content) =>
  content.every((octet) => octet < 0x80) ? content.toString('latin1') : undefined;
const latin1: Decoder = (content) => content.toString('latin1');

const utf32: Decoder = (content) => {
  if (content.length % 4 !== 0) return undefined;
  const points = Array.from({ length: content.length / 4 }, (_, index) => content.readUInt32BE(index * 4));
  const isText = points.every((point) => point <= 0x10_ffff && (point < 0xd800 || point > 0xdfff));
  return isText ? points.map((point) => String.fromCodePoint(point)).join('') : undefined;
};

/** The string types whose values are compared as text. Values of others are compared by their bytes. */
const STRINGS: Record<number, Decoder | undefined> = {
  [TAG.utf8String]: decoder('utf-8'),
  // NumericString, PrintableString, TeletexString, IA5String, VisibleString, UniversalString, BMPString
  18: ascii,
  19: ascii,
  20: latin1,
  22: ascii,
  26: ascii,
  28: utf32,
  30: decoder('utf-16be'),
};

/** RFC 4518, 2.4: characters that have no defined comparison. */
const PROHIBITED = /[\p{Co}\p{Cs}\p{Cn}\uFFFD]/u;
/** RFC 4518, 2.2: separators become a space; controls and invisible characters are left out. */
const SPACES = /[\t-\r\x85\p{Z}]+/gu;
const INVISIBLE = /[\p{Cc}\p{Cf}\uFFFC]|\u034F|[\u180B-\u180D]|[\uFE00-\uFE0F]/gu;

const known = new WeakMap<Buffer, string[]>();

/** Whether two names in DER are equal (RFC 5280, 7.1): without regard to string type, case and white space. */
export function isSameName(one: Buffer, other: Buffer): boolean {
  return one.equals(other) || nameKey(one) === nameKey(other);
}

/** A text that two names share if they are equal. An unreadable name equals only itself. */
export function nameKey(name: Buffer): string {
  try {
    return JSON.stringify(plainRdns(name));
  } catch (error) {
    if (error instanceof DerError) return name.toString('hex');
    throw error;
  }
}

/** The normalized RDNs of a name in DER, the highest first. Throws DerError. */
export function plainRdns(name: Buffer): string[] {
  const read = known.get(name) ?? readRdns(name);
  known.set(name, read);
  return read;
}

const readRdns = (name: Buffer): string[] =>
  readSequence(readDer(name)).map((part) =>
    JSON.stringify(readChildren(part).map(plainAttribute).toSorted()),
  );

function plainAttribute(attribute: DerValue): string {
  const [type, value, ...rest] = readSequence(attribute);
  if (value === undefined || rest.length > 0) throw new DerError('attribute with one value expected');
  const text = plainText(value);
  return JSON.stringify(
    text === undefined
      ? [readOid(type), 'bytes', value.bytes.toString('hex')]
      : [readOid(type), 'text', text],
  );
}

/** The preparation of RFC 4518 for a comparison without regard to case. */
function plainText({ tag, content }: DerValue): string | undefined {
  const text = STRINGS[tag]?.(content);
  if (text === undefined || PROHIBITED.test(text)) return undefined;
  const visible = text.replace(SPACES, ' ').replace(INVISIBLE, '');
  const folded = visible.normalize('NFKC').toLowerCase().replaceAll('ς', 'σ').replaceAll('ß', 'ss');
  return folded.normalize('NFKC').replace(/ +/g, ' ').trim();
}
