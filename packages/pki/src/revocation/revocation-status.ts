import type { Certificate } from '../x509/certificate.ts';
import { CERTIFICATE_HOLD, type DatedStatus, isFreshAt } from './revocation.ts';

/** The result of responses from different times. */
export type StatusAtTime =
  | { status: 'unknown' }
  /** `reportedAt`: the time of the latest response that says so. */
  | { status: 'good'; reportedAt: Date }
  /** `at`: the start of the revocation. A hold may end in either state. */
  | { status: 'revoked' | 'onHold'; at: Date; reason: number | undefined };

/**
 * The status of a certificate at a time. The earliest revocation counts for ever; a hold counts until a later
 * response says good. A certificate is good if a response still fresh at `time`, or given later, says so (EN 319
 * 102-1, 5.2.5.4). The exception: it had expired before, and the authority does not keep expired ones (X.509,
 * 9.5.2.8; RFC 6960, 4.4.4).
 */
export function statusAtTime(
  answers: readonly DatedStatus[],
  { notAfter }: Certificate,
  time: Date,
): StatusAtTime {
  const revocations = answers.flatMap((answer) => revocationOf(answer) ?? []);
  const revoked = earliest(revocations.filter(({ reason }) => reason !== CERTIFICATE_HOLD));
  if (revoked !== undefined) return { status: 'revoked', ...revoked };
  const isConclusive = (answer: DatedStatus) =>
    isFreshAt(answer, time) &&
    (answer.thisUpdate <= notAfter || (answer.knowsExpiredSince ?? answer.thisUpdate) <= notAfter);
  const [last] = answers
    .filter((answer) => revocationOf(answer) !== undefined || isConclusive(answer))
    .toSorted((a, b) => b.thisUpdate.getTime() - a.thisUpdate.getTime());
  if (last === undefined) return { status: 'unknown' };
  const hold = revocationOf(last);
  return hold ? { status: 'onHold', ...hold } : { status: 'good', reportedAt: last.thisUpdate };
}

interface Revocation {
  at: Date;
  reason: number | undefined;
}

/** The revocation in one response; undefined if the certificate is not revoked. */
function revocationOf(answer: DatedStatus): Revocation | undefined {
  if (answer.status === 'good') return undefined;
  const { at, invalidSince = at, reason } = answer;
  return { at: new Date(Math.min(invalidSince.getTime(), at.getTime())), reason };
}

const earliest = (revocations: readonly Revocation[]): Revocation | undefined =>
  revocations.toSorted((a, b) => a.at.getTime() - b.at.getTime())[0];
