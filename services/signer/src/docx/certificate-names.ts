import type { X509Certificate } from 'node:crypto';

interface Element {
  /** Before its tag. */
  start: number;
  contentStart: number;
  end: number;
}

/** The DER element at an offset (X.690 §8.1); the certificate was parsed before, so it is sound. */
function elementAt(der: Buffer, start: number): Element {
  const first = der[start + 1] ?? 0;
  if (first < 0x80) return { start, contentStart: start + 2, end: start + 2 + first };
  const contentStart = start + 2 + (first & 0x7f);
  return { start, contentStart, end: contentStart + der.readUIntBE(start + 2, first & 0x7f) };
}

function sequence(...contents: Buffer[]): Buffer {
  return tagged(0x30, Buffer.concat(contents));
}

function tagged(tag: number, content: Buffer): Buffer {
  if (content.length < 0x80) return Buffer.concat([Buffer.from([tag, content.length]), content]);
  const length = Buffer.alloc(4);
  length.writeUInt32BE(content.length);
  const bytes = length.subarray(length.findIndex((byte) => byte !== 0));
  return Buffer.concat([Buffer.from([tag, 0x80 | bytes.length]), bytes, content]);
}

/** The DER of an IssuerSerial (RFC 5035 §5): issuer and serial number as the certificate has them. */
export function issuerSerial({ raw }: X509Certificate): Buffer {
  const certificate = elementAt(raw, 0);
  const body = elementAt(raw, certificate.contentStart);
  const first = elementAt(raw, body.contentStart);
  // The version stands first where there is one (RFC 5280 §4.1).
  const serial = raw[first.start] === 0xa0 ? elementAt(raw, first.end) : first;
  const algorithm = elementAt(raw, serial.end);
  const issuer = elementAt(raw, algorithm.end);
  const directoryName = tagged(0xa4, raw.subarray(issuer.start, issuer.end));
  return sequence(sequence(directoryName), raw.subarray(serial.start, serial.end));
}

/** The issuer's name as one line, its most special part first (RFC 4514). */
export function issuerName({ issuer }: X509Certificate): string {
  return issuer.split('\n').reverse().join(',');
}

export function decimalSerial({ serialNumber }: X509Certificate): string {
  return BigInt(`0x${serialNumber}`).toString();
}
