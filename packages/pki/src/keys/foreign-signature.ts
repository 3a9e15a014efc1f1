import type { KeyObject } from 'node:crypto';
import { integer, sequence } from '../asn1/der.ts';
import { coordinateOctets, holds, type SignatureScheme } from './signature-scheme.ts';

/**
 * A signature that was made elsewhere, as `RawSigner.sign` gives it; undefined where it is not one of `tbs`. One by ECDSA may
 * come as the two numbers side by side (IEEE P1363), as tokens and browsers write it.
 */
export function foreignSignature(
  publicKey: KeyObject,
  scheme: SignatureScheme,
  tbs: Uint8Array,
  value: Buffer,
): Buffer | undefined {
  if (holds(publicKey, scheme, tbs, value)) return value;
  if (scheme.algorithm !== 'ecdsa') return undefined;
  const octets = coordinateOctets(publicKey);
  if (value.length !== 2 * octets) return undefined;
  const der = sequence(integer(value.subarray(0, octets)), integer(value.subarray(octets)));
  return holds(publicKey, scheme, tbs, der) ? der : undefined;
}
