import type { Fault, FaultCode } from '../fault.ts';
import { type Certificate, displayName } from '../x509/certificate.ts';
import { namesAuthorities } from './authority-access.ts';
import type { Question } from './ocsp.ts';
import { type DatedStatus, SKEW_MS_MAX } from './revocation.ts';
import { type StatusAtTime, statusAtTime } from './revocation-status.ts';

const NO_REVOCATION_AVAILABLE = '2.5.29.56';
const SHORT_TERM = '0.4.0.194121.2.1';
/** Reasons for which the time-stamps of an authority from before stand: unspecified, affiliation, superseded, ceased (RFC 3161, 4). */
const RETIRED: ReadonlySet<number | undefined> = new Set([0, 3, 4, 5]);

export interface RevocationOptions {
  /** What answers that came with the document say of a certificate. */
  embedded(question: Question): readonly DatedStatus[];
  /** When what was signed was there at the latest, as something proves. */
  provenTime: Date | undefined;
  /** When it was not there yet, as something proves. */
  madeAfter?: Date | undefined;
  /** Of a time-stamp: what it states. */
  statedTime?: Date | undefined;
  /** The time that the document is judged at. */
  validationTime: Date;
  /** Asks the authorities of a certificate: what they say, or undefined where none gives a usable answer. */
  ask?: ((question: Question) => Promise<DatedStatus | undefined>) | undefined;
}

/**
 * What speaks against the certificates of a path below its anchor, each judged by its issuer's answers. Good is one of which an answer
 * that was given at the proven time or later says so, or one that still stood then; without a proof the validation time counts (EN
 * 319 102-1, 5.2.5 and 5.6.2.2). Once revoked, always revoked, whatever the age of the answer, but for one that was on hold (RFC 5280,
 * 5.3.1). A revocation counts from when the key is thought to have been in wrong hands, where the authority says that (5.3.2).
 */
export async function judgeRevocation(
  path: readonly Certificate[],
  options: RevocationOptions,
): Promise<Fault[]> {
  const questions = path.slice(0, -1).map((certificate, index) => ({
    certificate,
    issuer: path[index + 1] as Certificate,
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
  const known = options.embedded(question).filter((answer) => isGiven(answer, validationTime));
  const current = statusAtTime(known, certificate, time);
  const isSettled = current.status === 'revoked' || (current.status === 'good' && current.toldAt >= time);
  const asked = isSettled ? undefined : await ask?.(question);
  return faultsOf(asked ? statusAtTime([...known, asked], certificate, time) : current, certificate, options);
}

/** Of a certificate that lives for days, its authority may say that it will never tell (RFC 9608; EN 319 412-1, 5.2). */
const isNeverRevoked = ({ extensions }: Certificate): boolean =>
  extensions.has(NO_REVOCATION_AVAILABLE) || extensions.has(SHORT_TERM);

/** Answers of the future are none, whichever is later: the time of judgement may be in the past, and answers since tell of it. */
function isGiven({ thisUpdate }: DatedStatus, validationTime: Date): boolean {
  return thisUpdate.getTime() <= Math.max(validationTime.getTime(), Date.now()) + SKEW_MS_MAX;
}

function faultsOf(current: StatusAtTime, certificate: Certificate, options: RevocationOptions): Fault[] {
  if (current.status === 'good') return [];
  if (current.status === 'unknown') return [unknown(certificate, options)];
  const name = `The certificate of “${displayName(certificate)}”`;
  const what = current.status === 'onHold' ? 'was put on hold' : 'was revoked';
  const since = `${name} ${what} on ${current.at.toISOString().slice(0, 10)}`;
  const { code, why } = weigh(current, options);
  return [{ code, message: `${since}${why}.` }];
}

function unknown(certificate: Certificate, { ask }: RevocationOptions): Fault {
  const whether = `whether the certificate of “${displayName(certificate)}” is revoked`;
  if (ask === undefined)
    return { code: 'REVOCATION_UNKNOWN', message: `Nothing that came with the document tells ${whether}.` };
  return namesAuthorities(certificate)
    ? { code: 'REVOCATION_UNAVAILABLE', message: `Its authorities gave no usable answer on ${whether}.` }
    : { code: 'REVOCATION_UNKNOWN', message: `It names nobody who could tell ${whether}.` };
}

/** In time before a proof, after it, or without any (EN 319 102-1, 5.5.4). */
function weigh(
  { status, at, reason }: Extract<StatusAtTime, { at: Date }>,
  { provenTime, madeAfter, statedTime, validationTime }: RevocationOptions,
): { code: FaultCode; why: string } {
  if (provenTime !== undefined && provenTime < at)
    return { code: 'REVOKED_LATER', why: ', after what it signed is proven to have been there' };
  if (statedTime !== undefined && statedTime < at && RETIRED.has(reason))
    return { code: 'REVOKED_LATER', why: ', after it was used here, and not because its key was lost' };
  if (status === 'onHold') return { code: 'CERTIFICATE_REVOKED', why: ': that may still be lifted' };
  if (provenTime !== undefined || (madeAfter !== undefined && madeAfter >= at))
    return { code: 'SIGNED_AFTER_REVOCATION', why: ', before what it signed is proven to have been there' };
  if (validationTime < at)
    return { code: 'REVOKED_LATER', why: ', after the time that the document is judged at' };
  return { code: 'CERTIFICATE_REVOKED', why: ', and nothing proves that what it signed is older' };
}
