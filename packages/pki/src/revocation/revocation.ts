/** The revocation status of a certificate in a valid response. */
export type RevocationStatus =
  | { status: 'good' }
  /** `reason` is a CRLReason (RFC 5280, 5.3.1); `invalidSince` is the invalidity date (5.3.2). */
  | { status: 'revoked'; at: Date; reason: number | undefined; invalidSince?: Date | undefined };

/** A status and the time of the response. */
export type DatedStatus = RevocationStatus & {
  thisUpdate: Date;
  nextUpdate: Date | undefined;
  /** The authority still keeps certificates that expired after this time; undefined: it keeps no expired one. */
  knowsExpiredSince: Date | undefined;
};

export const INVALIDITY_DATE = '2.5.29.24';
/** CRLReason, RFC 5280, 5.3.1. */
export const CERTIFICATE_HOLD = 6;
export const REMOVE_FROM_CRL = 8;

/** Why a response cannot be used. For the log. */
export class UnusableAnswerError extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'UnusableAnswerError';
  }
}

/** Tolerated clock difference to the authorities. */
export const SKEW_MS_MAX = 5 * 60_000;
/** How old a response without a next update may be. */
const AGE_MS_MAX = 24 * 3_600_000;

/** Throws UnusableAnswerError unless the response is current at `now`. */
export function refuseOtherTime(answer: Pick<DatedStatus, 'thisUpdate' | 'nextUpdate'>, now: Date): void {
  const { thisUpdate } = answer;
  if (thisUpdate.getTime() > now.getTime() + SKEW_MS_MAX)
    throw new UnusableAnswerError(`it is valid only from ${thisUpdate.toISOString()}`);
  if (!isFreshAt(answer, now))
    throw new UnusableAnswerError(`it is from ${thisUpdate.toISOString()} and out of date`);
}

/** Until when a response counts: its next update, or a day if it has none. */
export function endOf({ thisUpdate, nextUpdate }: Pick<DatedStatus, 'thisUpdate' | 'nextUpdate'>): Date {
  const endMs = nextUpdate?.getTime() ?? thisUpdate.getTime() + AGE_MS_MAX;
  return new Date(Math.max(endMs, thisUpdate.getTime()));
}

/** Whether a response still covers `time`. A later response always does (EN 319 102-1, 5.2.5.4). */
export function isFreshAt(answer: Pick<DatedStatus, 'thisUpdate' | 'nextUpdate'>, time: Date): boolean {
  return endOf(answer).getTime() >= time.getTime() - SKEW_MS_MAX;
}
