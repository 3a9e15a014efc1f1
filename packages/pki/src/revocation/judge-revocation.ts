import type { Fault, FaultCode } from '../fault.ts';
import { type Certificate, displayName } from '../x509/certificate.ts';
import { namesAuthorities } from './authority-access.ts';
import type { Question } from './ocsp.ts';
import { type DatedStatus, SKEW_MS_MAX } from './revocation.ts';
import type { EmbeddedStatuses } from './revocation-lists.ts';
import { type StatusAtTime, statusAtTime } from './revocation-status.ts';

const NO_REVOCATION_AVAILABLE = '2.5.29.56';
const SHORT_TERM = '0.4.0.194121.2.1';
/**
 * Revocation reasons that leave earlier time-stamps of an authority valid: unspecified, affiliation, superseded,
 * ceased (RFC 3161, 4).
 */
const RETIRED: ReadonlySet<number | undefined> = new Set([0, 3, 4, 5]);

export interface RevocationOptions {
  /** What the responses in the document say about a certificate. */
  embedded(question: Question): EmbeddedStatuses;
  /** The latest time by which the signed data provably existed. */
  provenTime: Date | undefined;
  /** A time at which the signed data provably did not exist yet. */
  madeAfter?: Date | undefined;
  /** The time that a time-stamp states. */
  statedTime?: Date | undefined;
  /** The time for which the document is validated. */
  validationTime: Date;
  /** Queries the authorities of a certificate. Returns its status, or undefined if none gives a usable response. */
  ask?: ((question: Question) => Promise<DatedStatus | undefined>) | undefined;
}

/**
 * The revocation faults of a path below its anchor; each certificate needs a response of its issuer. A certificate is
 * good if a response from the proven time or later says so, or one that was still fresh then. Without a proof the
 * validation time counts (EN 319 102-1, 5.2.5 and 5.6.2.2). A revocation is final at any age of the response, except
 * a hold (RFC 5280, 5.3.1). A revocation counts from the invalidity date if the authority gives one (5.3.2).
 */
export async function judgeRevocation(
  path: readonly Certificate[],
  options: RevocationOptions,
): Promise<Fault[]> {
  const questions = path.slice(0, -1).map((certificate, index) => ({
    certificate,
    issuer: path[index + 1] as Certificate,
    anchor: path.at(-1),
  }));
  const faults = await Promise.all(
    questions.map((question, index) =>
      judgeOne(question, index === 0 ? options : { ...options, statedTime: undefined }),
    ),
  );
  return faults.flat();
}

async function judgeOne(question: Question, options: RevocationOptions): Promise<Fault[]> {
  const { certificate } = question;
  if (isNeverRevoked(certificate)) return [];
  const { provenTime, validationTime, ask } = options;
  const time = provenTime ?? validationTime;
  const { answers, hasUnusable } = options.embedded(question);
  const known = answers.filter((answer) => isGiven(answer, validationTime));
  const current = statusAtTime(known, certificate, time);
  const isSettled = current.status === 'revoked' || (current.status === 'good' && current.reportedAt >= time);
  const answer = isSettled ? undefined : await ask?.(question);
  const status = answer ? statusAtTime([...known, answer], certificate, time) : current;
  if (status.status !== 'unknown') return faultsOf(status, certificate, options);
  return [hasUnusable ? unusable(certificate) : unknown(certificate, options)];
}

/**
 * The authority of a short-lived certificate may state that it never publishes revocation (RFC 9608; EN 319 412-1,
 * 5.2). For a CA it must not (RFC 9608, 2).
 */
const isNeverRevoked = ({ extensions, x509 }: Certificate): boolean =>
  !x509.ca && (extensions.has(NO_REVOCATION_AVAILABLE) || extensions.has(SHORT_TERM));

/** Ignores responses after the validation time, which may be in the past. */
function isGiven({ thisUpdate }: DatedStatus, validationTime: Date): boolean {
  return thisUpdate.getTime() <= Math.max(validationTime.getTime(), Date.now()) + SKEW_MS_MAX;
}

function faultsOf(
  current: Exclude<StatusAtTime, { status: 'unknown' }>,
  certificate: Certificate,
  options: RevocationOptions,
): Fault[] {
  if (current.status === 'good') return [];
  const name = `The certificate of “${displayName(certificate)}”`;
  const what = current.status === 'onHold' ? 'was put on hold' : 'was revoked';
  const since = `${name} ${what} on ${current.at.toISOString().slice(0, 10)}`;
  const { code, why } = weigh(current, options);
  return [{ code, message: `${since}${why}.` }];
}

/** The responses may say that the certificate is revoked, so nothing can be concluded. */
const unusable = (certificate: Certificate): Fault => ({
  code: 'REVOCATION_UNUSABLE',
  message: `The document contains revocation data for the certificate of “${displayName(certificate)}” that cannot be used.`,
});

function unknown(certificate: Certificate, { ask }: RevocationOptions): Fault {
  const subject = `the certificate of “${displayName(certificate)}”`;
  if (ask === undefined)
    return {
      code: 'REVOCATION_UNKNOWN',
      message: `The document contains no revocation data for ${subject}.`,
    };
  return namesAuthorities(certificate)
    ? {
        code: 'REVOCATION_UNAVAILABLE',
        message: `No authority gave a usable revocation response for ${subject}.`,
      }
    : { code: 'REVOCATION_UNKNOWN', message: `No source of revocation data is known for ${subject}.` };
}

/** Whether the revocation is before a proof, after it, or without a proof (EN 319 102-1, 5.5.4). */
function weigh(
  { status, at, reason }: Extract<StatusAtTime, { at: Date }>,
  { provenTime, madeAfter, statedTime, validationTime }: RevocationOptions,
): { code: FaultCode; why: string } {
  if (provenTime !== undefined && provenTime < at)
    return { code: 'REVOKED_LATER', why: ', after the proven time of what it signed' };
  if (statedTime !== undefined && statedTime < at && RETIRED.has(reason))
    return { code: 'REVOKED_LATER', why: ', after it was used here, and not because of a key compromise' };
  if (status === 'onHold') return { code: 'CERTIFICATE_REVOKED', why: ', and the hold may still be lifted' };
  if (provenTime !== undefined || (madeAfter !== undefined && madeAfter >= at))
    return { code: 'SIGNED_AFTER_REVOCATION', why: ', before the proven time of what it signed' };
  if (validationTime < at) return { code: 'REVOKED_LATER', why: ', after the validation time' };
  return { code: 'CERTIFICATE_REVOKED', why: ', and nothing proves that what it signed is older' };
}
