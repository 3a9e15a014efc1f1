/** What an authority says of a certificate, in an answer that holds. */
export type RevocationStatus =
  | { status: 'good' }
  /** `reason` is a CRLReason (RFC 5280, 5.3.1). */
  | { status: 'revoked'; at: Date; reason: number | undefined };

/** Why an answer cannot be used. For the log. */
export class UnusableAnswerError extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'UnusableAnswerError';
  }
}

/** The clocks of authorities and ours may differ by this much. */
const SKEW_MS_MAX = 5 * 60_000;
/** How old an answer may be that does not say until when it stands. */
const AGE_MS_MAX = 24 * 3_600_000;

/** Throws UnusableAnswerError for an answer of another time than `now`. */
export function refuseOtherTime(thisUpdate: Date, nextUpdate: Date | undefined, now: Date): void {
  const nowMs = now.getTime();
  const endMs = nextUpdate?.getTime() ?? thisUpdate.getTime() + AGE_MS_MAX;
  if (thisUpdate.getTime() > nowMs + SKEW_MS_MAX)
    throw new UnusableAnswerError(`it stands from ${thisUpdate.toISOString()} on`);
  if (endMs < nowMs - SKEW_MS_MAX)
    throw new UnusableAnswerError(`it is of ${thisUpdate.toISOString()}, and stands no more`);
}
