import type { Authority } from './authority.ts';
import {
  bitString,
  boolean,
  enumerated,
  explicit,
  implicit,
  integer,
  octetString,
  sequence,
  time,
} from './der.ts';
import { extension, keyIdentifier } from './issue-certificate.ts';
import { signatureAlgorithm, signWith, usualHash } from './keys.ts';

const HOUR_MS = 3_600_000;

/**
 * `stale`: its next update has passed. `future`: not yet valid. `wrongSignature`: one bit differs. `otherSigner`: signed by
 * another key. `otherIssuer`: another authority’s list. `authoritiesOnly`: excludes end entities (RFC 5280 §5.2.5).
 * `someReasons`: covers only the first seven reasons. `delta`: lists only changes. `huge`: exceeds any reasonable size.
 */
export type CrlFault =
  | 'down'
  | 'slow'
  | 'garbage'
  | 'stale'
  | 'future'
  | 'wrongSignature'
  | 'otherSigner'
  | 'otherIssuer'
  | 'authoritiesOnly'
  | 'someReasons'
  | 'delta'
  | 'huge';

/** A CertificateList (RFC 5280 §5.1) of all certificates that the authority revoked. */
export function buildCrl(authority: Authority, stranger: Authority, fault?: CrlFault): Buffer {
  if (fault === 'garbage') return Buffer.from('<html>not found</html>');
  if (fault === 'huge') return Buffer.alloc(12 * 1024 * 1024);
  const { identity, revoked } = fault === 'otherIssuer' ? stranger : authority;
  const key = fault === 'otherSigner' ? stranger.identity.privateKey : identity.privateKey;
  const hash = usualHash(key);
  const algorithm = signatureAlgorithm(key, hash);
  const shiftMs = fault === 'stale' ? -48 * HOUR_MS : fault === 'future' ? 48 * HOUR_MS : 0;
  const thisUpdate = new Date(Date.now() - HOUR_MS + shiftMs);
  const nextUpdate = new Date(Date.now() + 24 * HOUR_MS + shiftMs);
  const entries = [...revoked].map(([serial, { at, reason }]) =>
    sequence(
      integer(Buffer.from(serial, 'hex')),
      time(at),
      sequence(extension('2.5.29.21', enumerated(reason))),
    ),
  );
  const body = sequence(
    integer(1),
    algorithm,
    identity.subject,
    time(thisUpdate),
    time(nextUpdate),
    ...(entries.length > 0 ? [sequence(...entries)] : []),
    explicit(0, sequence(...extensions(identity.publicKey, fault))),
  );
  const signature = signWith(key, hash, body);
  if (fault === 'wrongSignature') signature[signature.length - 1] = (signature.at(-1) ?? 0) ^ 1;
  return sequence(body, algorithm, bitString(signature));
}

function extensions(publicKey: Authority['identity']['publicKey'], fault?: CrlFault): Buffer[] {
  return [
    extension('2.5.29.35', sequence(implicit(0, octetString(keyIdentifier(publicKey))))),
    extension('2.5.29.20', integer(1)),
    ...(fault === 'authoritiesOnly'
      ? [extension('2.5.29.28', sequence(implicit(2, boolean(true))), true)]
      : []),
    ...(fault === 'someReasons'
      ? [extension('2.5.29.28', sequence(implicit(3, bitString(Buffer.of(0x7f)))), true)]
      : []),
    ...(fault === 'delta' ? [extension('2.5.29.27', integer(1), true)] : []),
  ];
}
