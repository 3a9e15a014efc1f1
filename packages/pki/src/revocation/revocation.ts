/** What an authority says of a certificate, in an answer that holds. */
export type RevocationStatus =
  | { status: 'good' }
  /** `reason` is a CRLReason (RFC 5280, 5.3.1); `invalidSince` is when it is thought to have come about (5.3.2). */
  | { status: 'revoked'; at: Date; reason: number | undefined; invalidSince?: Date | undefined };

/** What an authority says, and when it said so. */
export type DatedStatus = RevocationStatus & {
  thisUpdate: Date;
  nextUpdate: Date | undefined;
  /** Certificates that expired since then are still known to whoever answers; undefined: none that has expired is. */
  knowsExpiredSince: Date | undefined;
};

export const INVALIDITY_DATE = '2.5.29.24';

/** Why an answer cannot be used. For the log. */
export class UnusableAnswerError extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'UnusableAnswerError';
  }
}

/** The clocks of authorities and ours may differ by this much. */
export const SKEW_MS_MAX = 5 * 60_000;
/** How old an answer may be that does not say until when it stands. */
const AGE_MS_MAX = 24 * 3_600_000;

/** Throws UnusableAnswerError for an answer of another time than `now`. */
export function refuseOtherTime(answer: Pick<DatedStatus, 'thisUpdate' | 'nextUpdate'>, now: Date): void {
  const { thisUpdate } = answer;
  if (thisUpdate.getTime() > now.getTime() + SKEW_MS_MAX)
    throw new UnusableAnswerError(`it stands from ${thisUpdate.toISOString()} on`);
  if (!isFreshAt(answer, now))
    throw new UnusableAnswerError(`it is of ${thisUpdate.toISOString()}, and stands no more`);
}

/**
 * Whether an answer still tells of `time`: where it says until when it stands, as that says, else for a day. One that was given
 * later always does (EN 319 102-1, 5.2.5.4).
 */
export function isFreshAt(
  { thisUpdate, nextUpdate }: Pick<DatedStatus, 'thisUpdate' | 'nextUpdate'>,
  time: Date,
): boolean {
  const endMs = nextUpdate?.getTime() ?? thisUpdate.getTime() + AGE_MS_MAX;
  return Math.max(endMs, thisUpdate.getTime()) >= time.getTime() - SKEW_MS_MAX;
}
