import { contextTag, TAG } from '../asn1/der.ts';
import { DerError, type DerValue, readChildren, readDer, readSequence } from '../asn1/der-reader.ts';
import { type Extension, readExtensions } from '../x509/certificate.ts';
import { nameKey } from '../x509/same-name.ts';
import { readTime } from '../x509/time.ts';
import { INVALIDITY_DATE, type RevocationStatus, UnusableAnswerError } from './revocation.ts';

const REASON_CODE = '2.5.29.21';
const CERTIFICATE_ISSUER = '2.5.29.29';
/** With holdInstructionCode, which changes nothing about a hold. */
const UNDERSTOOD = new Set([REASON_CODE, INVALIDITY_DATE, CERTIFICATE_ISSUER, '2.5.29.23']);
/** A BOOLEAN, as in each critical extension, and the object identifier of certificateIssuer. */
const MARKS = [Buffer.from('0101', 'hex'), Buffer.from('0603551d1d', 'hex')];
const DIRECTORY = contextTag(4);

/** Whose entry is searched. */
export interface Wanted {
  issuer: Buffer;
  serialNumber: Buffer;
}

/**
 * Finds a certificate among the revokedCertificates of a CRL (RFC 5280, 5.1.2.6). An entry is for a certificate of the list's
 * issuer, until an entry names another one (5.3.3). There may be hundreds of thousands of entries. Each is skipped by its length,
 * and its extensions are only read if they can change what others mean. Throws DerError, and UnusableAnswerError if any entry has
 * an unknown critical extension (5.3).
 */
export function findCrlEntry(
  entries: DerValue,
  listIssuer: Buffer,
  wanted: Wanted,
): RevocationStatus | undefined {
  const { content } = entries;
  const wantedIssuer = nameKey(wanted.issuer);
  let isOfIssuer = nameKey(listIssuer) === wantedIssuer;
  let found: RevocationStatus | undefined;
  for (let offset = 0; offset < content.length; ) {
    const entry = spanAt(content, offset, TAG.sequence);
    const serial = spanAt(content, entry.start, TAG.integer);
    if (entry.end > content.length || serial.end > entry.end) throw new DerError('length beyond the end');
    const rest = content.subarray(serial.end, entry.end);
    if (MARKS.some((mark) => rest.includes(mark))) {
      const issuer = namedIssuer(readSequence(readDer(content.subarray(offset, entry.end)))[2]);
      if (issuer !== undefined) isOfIssuer = issuer.includes(wantedIssuer);
    }
    if (isOfIssuer && content.subarray(serial.start, serial.end).equals(wanted.serialNumber))
      found ??= readEntry(content.subarray(offset, entry.end));
    offset = entry.end;
  }
  return found;
}

/** Where the content of the value at `offset` starts and ends. */
function spanAt(bytes: Buffer, offset: number, tag: number): { start: number; end: number } {
  const first = bytes[offset + 1] ?? 0x80;
  const octets = first < 0x80 ? 0 : first & 0x7f;
  const start = offset + 2 + octets;
  if (bytes[offset] !== tag || first === 0x80 || octets > 4 || start > bytes.length)
    throw new DerError('invalid CRL entry');
  return { start, end: start + (octets === 0 ? first : bytes.readUIntBE(offset + 2, octets)) };
}

/** The names of the certificate issuer; undefined if the entry names none. */
function namedIssuer(extensions: DerValue | undefined): string[] | undefined {
  const read = readExtensions(extensions);
  refuseUnknown(read, UNDERSTOOD);
  const extension = read.get(CERTIFICATE_ISSUER);
  if (extension === undefined) return undefined;
  const names = readChildren(readDer(extension.value, TAG.sequence));
  return names.filter(({ tag }) => tag === DIRECTORY).map(({ content }) => nameKey(content));
}

/** Throws UnusableAnswerError for a critical extension that is not understood. */
export function refuseUnknown(
  extensions: ReadonlyMap<string, Extension>,
  understood: ReadonlySet<string>,
): void {
  for (const [id, { isCritical }] of extensions)
    if (isCritical && !understood.has(id))
      throw new UnusableAnswerError(`it has the critical extension ${id}`);
}

function readEntry(bytes: Buffer): RevocationStatus {
  const [, at, extensions] = readSequence(readDer(bytes));
  const read = readExtensions(extensions);
  const reason = read.get(REASON_CODE);
  const since = read.get(INVALIDITY_DATE);
  return {
    status: 'revoked',
    at: readTime(at),
    reason: reason && readDer(reason.value).content[0],
    invalidSince: since && readTime(readDer(since.value)),
  };
}
