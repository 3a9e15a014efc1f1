import type { SignatureEvidence } from '../evidence.ts';
import { type CheckName, REASONS, type Severity } from '../reasons.ts';
import type { Indication, Reason, Verdict } from '../verify-report.ts';
import type { Finding } from './checks/check.ts';

/** The result of the findings on one signature. */
export interface Judgement {
  verdict: Exclude<Verdict, 'unsigned'>;
  indication: Indication;
  subIndication: string | undefined;
  /** The reason that decided the verdict. */
  decisive: Reason | undefined;
}

/** The worst severity decides; for equal severity, the check that comes first. */
const DECISIONS: readonly { severity: Severity; verdict: Judgement['verdict']; indication: Indication }[] = [
  { severity: 'error', verdict: 'invalid', indication: 'TOTAL_FAILED' },
  { severity: 'doubt', verdict: 'indeterminate', indication: 'INDETERMINATE' },
  { severity: 'untrusted', verdict: 'valid_untrusted', indication: 'INDETERMINATE' },
];

/** Required checks. One that could not be made does not count as passed. */
const INDISPENSABLE: readonly CheckName[] = ['format', 'coverage', 'digest', 'signature', 'chain', 'policy'];

/** Derives the indication of ETSI EN 319 102-1, 5.1. */
export function judge(findings: readonly Finding[]): Judgement {
  const reasons = findings.flatMap((finding) => finding.reasons);
  const isSkipped = findings.some(
    ({ check, result }) => INDISPENSABLE.includes(check) && result === 'notChecked',
  );
  for (const { severity, verdict, indication } of DECISIONS) {
    if (severity === 'untrusted' && isSkipped) break;
    const decisive = reasons.find((reason) => reason.severity === severity);
    if (decisive === undefined) continue;
    return { verdict, indication, subIndication: subIndicationOf(decisive), decisive };
  }
  if (isSkipped)
    return {
      verdict: 'indeterminate',
      indication: 'INDETERMINATE',
      subIndication: 'SIGNED_DATA_NOT_FOUND',
      decisive: undefined,
    };
  return { verdict: 'valid', indication: 'TOTAL_PASSED', subIndication: undefined, decisive: undefined };
}

function subIndicationOf({ code }: Reason): string | undefined {
  const entry: { subIndication?: string } = REASONS[code];
  return entry.subIndication;
}

/** Checks on the content of a document time-stamp, as opposed to its authority. */
const ON_DOCUMENT: readonly CheckName[] = ['format', 'coverage', 'digest', 'signature', 'policy'];
const WORST_FIRST: readonly Verdict[] = ['invalid', 'indeterminate', 'valid_untrusted', 'valid'];

/** A signature with its findings and judgment. */
export interface Assessment {
  evidence: SignatureEvidence;
  findings: readonly Finding[];
  judgement: Judgement;
}

/**
 * Derives the verdict on the document: the worst of the signatures made by people. A document time-stamp counts only if it shows
 * that the document was changed, or if there are only time-stamps. A document without a signature is unsigned, even with valid
 * time-stamps. `counted` are the signatures that decide.
 */
export function judgeDocument<One extends Assessment>(
  all: readonly One[],
): { verdict: Verdict; by: One | undefined; counted: readonly One[] } {
  if (all.length === 0) return { verdict: 'unsigned', by: undefined, counted: [] };
  const persons = all.filter(({ evidence }) => evidence.type !== 'documentTimestamp');
  const counted = persons.length === 0 ? all : all.filter((each) => persons.includes(each) || isBroken(each));
  for (const verdict of WORST_FIRST) {
    const by = counted.find(({ judgement }) => judgement.verdict === verdict);
    if (by === undefined) continue;
    const isOnlyStamped = persons.length === 0 && (verdict === 'valid' || verdict === 'valid_untrusted');
    return isOnlyStamped ? { verdict: 'unsigned', by: undefined, counted: [] } : { verdict, by, counted };
  }
  throw new Error('a signature has no verdict');
}

function isBroken({ findings }: Assessment): boolean {
  return findings.some(({ check, result }) => ON_DOCUMENT.includes(check) && result === 'failed');
}
