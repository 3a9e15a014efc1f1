import { X509Certificate } from 'node:crypto';
import { decodeBase64 } from './base64.ts';

const BEGIN = '-----BEGIN CERTIFICATE-----';
const END = '-----END CERTIFICATE-----';

/**
 * Returns the certificates of a text as DER in base64. The text has one or more in PEM (RFC 7468 §5), or one as DER in base64.
 * Returns null if it contains anything else, such as a private key that was pasted by mistake.
 */
export function certificatesOf(text: string): string[] | null {
  const bodies = text.includes('-----') ? pemBodies(text) : [text.replaceAll(/\s/g, '')];
  const certificates = bodies?.map(certificateOf) ?? [];
  return certificates.length > 0 && certificates.every((der) => der !== null) ? certificates : null;
}

function pemBodies(text: string): string[] | null {
  const bodies: string[] = [];
  for (const piece of text.split(END).slice(0, -1)) {
    const begin = piece.indexOf(BEGIN);
    if (begin < 0 || piece.slice(0, begin).includes('-----')) return null;
    bodies.push(piece.slice(begin + BEGIN.length).replaceAll(/\s/g, ''));
  }
  return text.slice(text.lastIndexOf(END) + END.length).includes('-----') ? null : bodies;
}

function certificateOf(base64: string): string | null {
  const der = decodeBase64(base64);
  if (der === null || der.length === 0) return null;
  try {
    return new X509Certificate(der).raw.equals(der) ? base64 : null;
  } catch {
    return null;
  }
}
