import { type Certificate, displayName, isValidAt } from '@scriptorium/pki/certificates';
import type { SignedCore, TimestampEvidence } from '@scriptorium/pki/cms';
import { SKEW_MS_MAX } from '@scriptorium/pki/revocation';
import type { SignatureEvidence } from '../../evidence.ts';
import type { Fault } from '../../reasons.ts';
import { acceptSha1, acceptsSha1 } from './accepted-sha1.ts';
import type { ValidationContext } from './check.ts';
import type { Trust } from './inquiry.ts';

/** Maximum time-stamps of earlier revisions that are checked for a lower time bound. */
const EARLIER_MAX = 10;

/** Returns the time-stamps of a signature. A document time-stamp is its own, unless others could forge a second document for it. */
export function stampsOf({ type, core, faults }: SignatureEvidence, trust: Trust): TimestampEvidence[] {
  if (core === undefined) return [];
  const { signer, statedTime: time, certificates } = core;
  if (type !== 'documentTimestamp') return core.timestamps;
  const isWeak = acceptSha1(faults, time, trust).some(({ code }) => code === 'WEAK_ALGORITHM');
  const holds = core.digestHolds && core.signatureHolds && !isWeak;
  return signer && time && holds ? [{ signer, time, certificates }] : [];
}

export interface JudgedStamp {
  /** Whether its time is proven. */
  isProof: boolean;
  faults: Fault[];
  path: readonly Certificate[];
}

/**
 * Judges a time-stamp by EN 319 102-1, 5.4. Its authority must be trusted at the time that a later time-stamp proves, otherwise
 * at the validation time. TIMESTAMP_UNTRUSTED covers findings that only remove its proof: untrusted authority, expired or revoked
 * certificate, weak algorithms. TIMESTAMP_INVALID covers what an authority does not do.
 */
export async function judgeStamp(
  stamp: TimestampEvidence,
  core: SignedCore,
  context: ValidationContext,
): Promise<JudgedStamp> {
  const { existedAt, trust } = context;
  const { validationTime } = trust;
  const refuse = (code: Fault['code'], message: string): JudgedStamp => ({
    isProof: false,
    faults: [{ code, message }],
    path: [],
  });
  const who = `“${displayName(stamp.signer)}”`;
  if (stamp.hasSha1 && !acceptsSha1(stamp.time, trust))
    return refuse('TIMESTAMP_INVALID', `The time-stamp of ${who} relies on SHA-1.`);
  if (!isValidAt(stamp.signer, stamp.time))
    return refuse(
      'TIMESTAMP_INVALID',
      `The certificate of ${who} was not valid at the time of the time-stamp.`,
    );
  if (stamp.time.getTime() > validationTime.getTime() + SKEW_MS_MAX)
    return refuse('TIMESTAMP_ORDER', `The time-stamp of ${who} is after the validation time.`);
  const as = { time: existedAt ?? validationTime, usage: 'timestamping' as const };
  const inquiry = context.inquiry;
  const { path, isAnchored, faults } = await inquiry.findPath(stamp.signer, core, stamp.certificates, as);
  if (!isAnchored)
    return refuse(
      'TIMESTAMP_UNTRUSTED',
      `The time-stamping authority ${who} does not chain to a trusted anchor.`,
    );
  const times = { provenTime: existedAt, statedTime: stamp.time };
  const revoked = await inquiry.judgeRevocation(path, core, times);
  const relying: Fault[] = stamp.hasSha1
    ? [{ code: 'WEAK_ALGORITHM', message: `The time-stamp of ${who} relies on SHA-1.`, isSha1: true }]
    : [];
  const found = acceptSha1([...relying, ...faults, ...revoked], stamp.time, trust);
  const remarks = found.filter(({ code }) => REMARKS.has(code));
  const objections = found.filter(({ code }) => !REMARKS.has(code));
  return {
    isProof: objections.length === 0,
    path,
    faults: [
      ...remarks,
      ...objections.map(({ code, message }) => ({
        code: codeOf(code),
        message: `Time-stamp: ${message}`,
      })),
    ],
  };
}

/** Findings that do not reduce the value of a time-stamp. */
const REMARKS: ReadonlySet<Fault['code']> = new Set(['REVOKED_LATER', 'REVOCATION_UNKNOWN', 'SHA1_ACCEPTED']);
const MISUSE: ReadonlySet<Fault['code']> = new Set(['CHAIN_INVALID', 'CERTIFICATE_NOT_YET_VALID']);

const codeOf = (code: Fault['code']): Fault['code'] =>
  MISUSE.has(code) ? 'TIMESTAMP_INVALID' : 'TIMESTAMP_UNTRUSTED';

/**
 * Returns the lower time bound of a signature: the latest trusted time-stamp in its signed revisions. Signing over a
 * time-stamp proves as much as one inside the signed content (EN 319 102-1, 5.3.4).
 */
export async function madeAfter(context: ValidationContext): Promise<Date | undefined> {
  const { document, evidence } = context;
  const earlier = document.signatures
    .filter(({ revision }) => revision < evidence.revision)
    .flatMap((each) =>
      stampsOf(each, context.trust).map((stamp) => ({ stamp, core: each.core as SignedCore })),
    )
    .filter(({ stamp }) => !stamp.hasSha1 || acceptsSha1(stamp.time, context.trust))
    .toSorted((a, b) => b.stamp.time.getTime() - a.stamp.time.getTime())
    .slice(0, EARLIER_MAX);
  for (const { stamp, core } of earlier) {
    const as = { time: stamp.time, usage: 'timestamping' as const };
    const { isAnchored, faults } = await context.inquiry.findPath(stamp.signer, core, stamp.certificates, as);
    if (isAnchored && faults.length === 0) return stamp.time;
  }
  return undefined;
}
