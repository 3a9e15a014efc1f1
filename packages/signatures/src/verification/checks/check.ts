import type { Certificate } from '@scriptorium/pki/certificates';
import type { DocumentEvidence, SignatureEvidence } from '../../evidence.ts';
import { type CheckName, type Fault, REASONS, type Severity } from '../../reasons.ts';
import type { CheckResult, Reason } from '../../verify-report.ts';
import type { Inquiry, Trust } from './inquiry.ts';

/** A signature under validation. Checks run in list order, and later ones use the results of earlier ones. */
export interface ValidationContext {
  readonly trust: Trust;
  /** Shared by all signatures of the document. */
  readonly inquiry: Inquiry;
  readonly document: DocumentEvidence;
  readonly evidence: SignatureEvidence;
  /** The latest possible time of the signature, as proven by trusted time-stamps over later revisions. */
  readonly existedAt: Date | undefined;
  /** Like `existedAt`, including the signature's own time-stamps. The timestamp check sets it. */
  provenTime?: Date;
  /** From the authority of the time-stamp that proves the time to its anchor. The timestamp check sets it. */
  stampPath?: readonly Certificate[];
  /** From the signer to the trust anchor, or as far as found. The chain check sets it. */
  path?: readonly Certificate[];
}

/** One check. */
export interface Check {
  readonly name: CheckName;
  /** Returns the findings against the signature; undefined if the check does not apply or lacks data. */
  run(context: ValidationContext): Fault[] | undefined | Promise<Fault[] | undefined>;
}

/** Returns the faults found by the document reader that belong to this check. */
export function faultsFor({ faults }: SignatureEvidence, check: CheckName): Fault[] {
  return faults.filter(({ code }) => REASONS[code].check === check);
}

export interface Finding {
  check: CheckName;
  result: CheckResult;
  reasons: Reason[];
}

/** Converts faults to reasons, each code and message once. */
export function asReasons(faults: readonly Fault[]): Reason[] {
  const unique = new Map(faults.map((fault) => [`${fault.code} ${fault.message}`, fault]));
  return [...unique.values()].map(({ code, message }) => ({
    code,
    severity: REASONS[code].severity,
    message,
  }));
}

export function resultOf(reasons: readonly Reason[]): CheckResult {
  const has = (...severities: Severity[]) => reasons.some(({ severity }) => severities.includes(severity));
  if (has('error')) return 'failed';
  return has('doubt', 'untrusted') ? 'indeterminate' : 'passed';
}
