import { displayName, isValidAt } from '@scriptorium/pki/certificates';
import type { SignedCore, TimestampEvidence } from '@scriptorium/pki/cms';
import { SKEW_MS_MAX } from '@scriptorium/pki/revocation';
import type { SignatureEvidence } from '../../evidence.ts';
import type { Fault } from '../../reasons.ts';
import type { ValidationContext } from './check.ts';

/** Time-stamps of earlier revisions that are looked at for what a signature must be younger than. */
const EARLIER_MAX = 10;

/** The time-stamps of a signature; one of the document is its own, unless others could make a second document for it. */
export function stampsOf({ type, core, faults }: SignatureEvidence): TimestampEvidence[] {
  if (core === undefined) return [];
  const { signer, statedTime: time, certificates } = core;
  if (type !== 'documentTimestamp') return core.timestamps;
  const isWeak = faults.some(({ code }) => code === 'WEAK_ALGORITHM');
  const holds = core.digestHolds && core.signatureHolds && !isWeak;
  return signer && time && holds ? [{ signer, time, certificates }] : [];
}

export interface JudgedStamp {
  /** Whether its time is proven. */
  isProof: boolean;
  faults: Fault[];
}

/**
 * Judges a time-stamp as EN 319 102-1, 5.4 does: its authority must be trusted by the time that a later time-stamp proves for it, else
 * by the validation time. What only takes its worth away (nobody trusts the authority, its certificate has expired or is revoked,
 * its algorithms are weak) is TIMESTAMP_UNTRUSTED; what no authority does is TIMESTAMP_INVALID.
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
  });
  const who = `“${displayName(stamp.signer)}”`;
  if (!isValidAt(stamp.signer, stamp.time))
    return refuse('TIMESTAMP_INVALID', `The certificate of ${who} was not valid when it stamped.`);
  if (stamp.time.getTime() > validationTime.getTime() + SKEW_MS_MAX)
    return refuse(
      'TIMESTAMP_ORDER',
      `The time-stamp of ${who} is later than the time that the document is judged at.`,
    );
  const as = { time: existedAt ?? validationTime, usage: 'timestamping' as const };
  const inquiry = context.inquiry;
  const { path, isAnchored, faults } = await inquiry.findPath(stamp.signer, core, stamp.certificates, as);
  if (!isAnchored)
    return refuse(
      'TIMESTAMP_UNTRUSTED',
      `No certificate that is trusted vouches for ${who}, who stamped the time.`,
    );
  const times = { provenTime: existedAt, statedTime: stamp.time };
  const said = [...faults, ...(await inquiry.judgeRevocation(path, core, times))];
  const told = said.filter(({ code }) => REMARKS.has(code));
  const objections = said.filter(({ code }) => !REMARKS.has(code));
  return {
    isProof: objections.length === 0,
    faults: [
      ...told,
      ...objections.map(({ code, message }) => ({
        code: codeOf(code),
        message: `Of the time-stamp: ${message}`,
      })),
    ],
  };
}

/** What leaves a time-stamp its worth. */
const REMARKS: ReadonlySet<Fault['code']> = new Set(['REVOKED_LATER', 'REVOCATION_UNKNOWN']);
const MISUSE: ReadonlySet<Fault['code']> = new Set(['CHAIN_INVALID', 'CERTIFICATE_NOT_YET_VALID']);

const codeOf = (code: Fault['code']): Fault['code'] =>
  MISUSE.has(code) ? 'TIMESTAMP_INVALID' : 'TIMESTAMP_UNTRUSTED';

/**
 * What a signature is younger than: the latest time-stamp in the revisions that it signs, by an authority that is trusted. Signing over a
 * time-stamp shows as much as one inside what is signed (EN 319 102-1, 5.3.4).
 */
export async function madeAfter(context: ValidationContext): Promise<Date | undefined> {
  const { document, evidence } = context;
  const earlier = document.signatures
    .filter(({ revision }) => revision < evidence.revision)
    .flatMap((each) => stampsOf(each).map((stamp) => ({ stamp, core: each.core as SignedCore })))
    .toSorted((a, b) => b.stamp.time.getTime() - a.stamp.time.getTime())
    .slice(0, EARLIER_MAX);
  for (const { stamp, core } of earlier) {
    const as = { time: stamp.time, usage: 'timestamping' as const };
    const { isAnchored, faults } = await context.inquiry.findPath(stamp.signer, core, stamp.certificates, as);
    if (isAnchored && faults.length === 0) return stamp.time;
  }
  return undefined;
}
