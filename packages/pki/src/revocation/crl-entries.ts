import { TAG } from '../asn1/der.ts';
import { DerError, type DerValue, readDer, readSequence } from '../asn1/der-reader.ts';
import { readExtensions } from '../x509/certificate.ts';
import { readTime } from '../x509/time.ts';
import { INVALIDITY_DATE, type RevocationStatus } from './revocation.ts';

const REASON_CODE = '2.5.29.21';

/**
 * Finds a serial number among the revokedCertificates of a CRL (RFC 5280, 5.1.2.6). There may be hundreds of
 * thousands of entries: each is skipped by its length, and only the matching one is read. Throws DerError.
 */
export function findCrlEntry(entries: DerValue, serialNumber: Buffer): RevocationStatus | undefined {
  const { content } = entries;
  for (let offset = 0; offset < content.length; ) {
    const entry = spanAt(content, offset, TAG.sequence);
    const serial = spanAt(content, entry.start, TAG.integer);
    if (entry.end > content.length || serial.end > entry.end) throw new DerError('length beyond the end');
    if (content.subarray(serial.start, serial.end).equals(serialNumber))
      return readEntry(content.subarray(offset, entry.end));
    offset = entry.end;
  }
  return undefined;
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
