import type { Certificate } from '../x509/certificate.ts';
import { type DatedStatus, isFreshAt } from './revocation.ts';

/** CRLReason, RFC 5280, 5.3.1. */
const CERTIFICATE_HOLD = 6;
const REMOVE_FROM_CRL = 8;

/** What answers of different times amount to. */
export type StatusAtTime =
  | { status: 'unknown' }
  /** `toldAt`: when that was said last. */
  | { status: 'good'; toldAt: Date }
  /** `at`: since when. On hold may yet turn out to be either. */
  | { status: 'revoked' | 'onHold'; at: Date; reason: number | undefined };

/**
 * What is known of a certificate at a time. One revocation counts for ever, the earliest where there are several; one on hold
 * until a later answer says good. Good is what an answer says that still stands at `time`, or was given later (EN 319 102-1, 5.2.5.4), unless
 * the certificate had expired before and whoever answers forgets such (X.509, 9.5.2.8; RFC 6960, 4.4.4).
 */
export function statusAtTime(
  answers: readonly DatedStatus[],
  { x509: { validToDate: notAfter } }: Certificate,
  time: Date,
): StatusAtTime {
  const revocations = answers.flatMap((answer) => revocationOf(answer) ?? []);
  const revoked = earliest(revocations.filter(({ reason }) => reason !== CERTIFICATE_HOLD));
  if (revoked !== undefined) return { status: 'revoked', ...revoked };
  const tells = (answer: DatedStatus) =>
    isFreshAt(answer, time) &&
    (answer.thisUpdate <= notAfter || (answer.knowsExpiredSince ?? answer.thisUpdate) <= notAfter);
  const [last] = answers
    .filter((answer) => revocationOf(answer) !== undefined || tells(answer))
    .toSorted((a, b) => b.thisUpdate.getTime() - a.thisUpdate.getTime());
  if (last === undefined) return { status: 'unknown' };
  const hold = revocationOf(last);
  return hold ? { status: 'onHold', ...hold } : { status: 'good', toldAt: last.thisUpdate };
}

interface Revocation {
  at: Date;
  reason: number | undefined;
}

/** Since when a certificate is not to be relied on, by one answer; undefined where it is (again). */
function revocationOf(answer: DatedStatus): Revocation | undefined {
  if (answer.status === 'good' || answer.reason === REMOVE_FROM_CRL) return undefined;
  const { at, invalidSince = at, reason } = answer;
  return { at: new Date(Math.min(invalidSince.getTime(), at.getTime())), reason };
}

const earliest = (revocations: readonly Revocation[]): Revocation | undefined =>
  revocations.toSorted((a, b) => a.at.getTime() - b.at.getTime())[0];
