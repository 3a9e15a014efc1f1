import type { Certificate } from '@scriptorium/pki/certificates';
import type { DocumentEvidence, SignatureEvidence } from '../../evidence.ts';
import { type CheckName, type Fault, REASONS, type Severity } from '../../reasons.ts';
import type { CheckResult, Reason } from '../../verify-report.ts';
import type { Inquiry, Trust } from './inquiry.ts';

/** A signature under validation. The checks run in the order of their list; later ones read what earlier ones found out. */
export interface ValidationContext {
  readonly trust: Trust;
  /** Shared by all signatures of the document. */
  readonly inquiry: Inquiry;
  readonly document: DocumentEvidence;
  readonly evidence: SignatureEvidence;
  /** When the signature was there at the latest, as trusted time-stamps over later revisions prove. */
  readonly existedAt: Date | undefined;
  /** By now, with the signature's own time-stamps: set by the check of time-stamps. */
  provenTime?: Date;
  /** From the signer to what is trusted, or as far as it goes: set by the check of the chain. */
  path?: readonly Certificate[];
}

/** One thing to look at; one file each. */
export interface Check {
  readonly name: CheckName;
  /** What speaks against the signature; undefined where there is nothing to check, or nothing to check it with. */
  run(context: ValidationContext): Fault[] | undefined | Promise<Fault[] | undefined>;
}

/** What the reader of the document objected to that belongs to this check. */
export function faultsFor({ faults }: SignatureEvidence, check: CheckName): Fault[] {
  return faults.filter(({ code }) => REASONS[code].check === check);
}

export interface Finding {
  check: CheckName;
  result: CheckResult;
  reasons: Reason[];
}

/** Reasons of one fault of each code and message. */
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
