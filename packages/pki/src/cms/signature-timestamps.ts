import { createHash } from 'node:crypto';
import { DerError } from '../asn1/der-reader.ts';
import { OID } from '../asn1/oids.ts';
import type { Fault } from '../fault.ts';
import { fault } from '../fault.ts';
import { openArchivedToken, TimestampTokenError } from '../tsp/time-stamp-token.ts';
import type { Certificate } from '../x509/certificate.ts';
import type { SignerInfo } from './read-signed-data.ts';

/** A time-stamp token over a signature value (RFC 3161; EN 319 122-1, 5.3). */
export interface TimestampEvidence {
  time: Date;
  signer: Certificate;
  /** All certificates in the token, including the signer's. */
  certificates: Certificate[];
  /** Set if it relies on SHA-1: then it proves nothing, unless the caller accepts SHA-1 up to its time. */
  hasSha1?: boolean;
}

/** Each token costs one signature verification. */
const TOKENS_MAX = 20;

/**
 * Checks the time-stamps over a signature value (EN 319 122-1, 5.3). Returns the valid ones, and faults for the
 * others.
 */
export function signatureTimestamps({ unsigned, signature }: Pick<SignerInfo, 'unsigned' | 'signature'>): {
  timestamps: TimestampEvidence[];
  faults: Fault[];
} {
  const tokens = unsigned.get(OID.timeStampToken) ?? [];
  const timestamps: TimestampEvidence[] = [];
  const faults: Fault[] = [];
  for (const { bytes } of tokens.slice(0, TOKENS_MAX)) {
    const outcome = openTimestampOver(signature, bytes);
    if ('code' in outcome) faults.push(outcome);
    else timestamps.push(outcome);
  }
  if (tokens.length > TOKENS_MAX)
    faults.push(fault('TIMESTAMP_INVALID', `There are more than ${TOKENS_MAX} time-stamps.`));
  return { timestamps, faults };
}

/** Checks a time-stamp token over these bytes. Returns the evidence, also for SHA-1, or the fault. */
export function openTimestampOver(stamped: Buffer, der: Buffer): TimestampEvidence | Fault {
  try {
    const { imprint, time, signer, certificates, hasSha1 } = openArchivedToken(der);
    if (!createHash(imprint.digest).update(stamped).digest().equals(imprint.value))
      return fault('TIMESTAMP_INVALID', 'A time-stamp does not cover this signature.');
    return { time, signer, certificates, ...(hasSha1 && { hasSha1 }) };
  } catch (error) {
    if (error instanceof DerError || error instanceof TimestampTokenError)
      return fault('TIMESTAMP_INVALID', 'A time-stamp is invalid', error);
    throw error;
  }
}
