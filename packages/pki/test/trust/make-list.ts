import {
  bitString,
  boolean,
  enumerated,
  explicit,
  implicit,
  integer,
  sequence,
  time,
} from '@scriptorium/testing/pki/der';
import type { Identity } from '@scriptorium/testing/pki/identity';
import { extension } from '@scriptorium/testing/pki/issue-certificate';
import { signatureAlgorithm, signWith } from '@scriptorium/testing/pki/keys';

const HOUR_MS = 3_600_000;
/** CRLReason, RFC 5280, 5.3.1. */
export const [KEY_COMPROMISE, HOLD, REMOVE] = [1, 6, 8];

export interface List {
  by: Identity;
  /** The name of another issuer than that of the key. */
  named?: Buffer;
  entries?: Buffer[];
  extensions?: Buffer[];
  /** By default since an hour ago. */
  fromHours?: number;
}

/** A CertificateList (RFC 5280, 5.1), DER, for a day. */
export function makeList({ by, named, entries = [], extensions = [], fromHours = -1 }: List): Buffer {
  const algorithm = signatureAlgorithm(by.privateKey, 'sha256');
  const at = (hours: number) => time(new Date(Date.now() + hours * HOUR_MS));
  const body = sequence(
    integer(1),
    algorithm,
    named ?? by.subject,
    at(fromHours),
    at(fromHours + 24),
    ...(entries.length > 0 ? [sequence(...entries)] : []),
    ...(extensions.length > 0 ? [explicit(0, sequence(...extensions))] : []),
  );
  return sequence(body, algorithm, bitString(signWith(by.privateKey, 'sha256', body)));
}

/** An entry of an hour ago, with a CRLReason. */
export const entry = (serialNumber: string, reason: number, ...more: Buffer[]): Buffer =>
  sequence(
    integer(Buffer.from(serialNumber, 'hex')),
    time(new Date(Date.now() - HOUR_MS)),
    sequence(extension('2.5.29.21', enumerated(reason)), ...more),
  );
/** certificateIssuer. */
export const ofIssuer = ({ subject }: Identity) =>
  extension('2.5.29.29', sequence(explicit(4, subject)), true);
/** CRLNumber. */
export const number = (value: number) => extension('2.5.29.20', integer(value));
/** deltaCRLIndicator. */
export const continuing = (base: number) => extension('2.5.29.27', integer(base), true);
/** issuingDistributionPoint, and one of its flags. */
export const scope = (...fields: Buffer[]) => extension('2.5.29.28', sequence(...fields), true);
export const flag = (position: number) => implicit(position, boolean(true));
/** A critical extension that is not known. */
export const unknown = extension('1.2.3.4', sequence(), true);
