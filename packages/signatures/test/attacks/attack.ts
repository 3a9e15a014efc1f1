import type { ModificationCode, ReasonCode } from '../../src/reasons.ts';
import type { Verdict } from '../../src/verify-report.ts';
import type { Lab } from './lab.ts';

/** A forged file, and the expected result. */
export interface Attack {
  /** What was done to the document: a sentence without its end. */
  name: string;
  make(lab: Lab): Promise<Buffer> | Buffer;
  /** `invalid` by default. */
  verdict?: Verdict;
  /** Reasons of which at least one is expected. */
  codes: readonly ReasonCode[];
  /** A forbidden modification that must be reported. */
  modification?: ModificationCode;
  /** Unsigned text that a reader shows. */
  shows?: string;
  /** Passed to the verifier. */
  revocation?: 'none' | 'embedded' | 'online';
}

/** Attacks of one class. */
export interface AttackClass {
  name: string;
  /** Where it was published. */
  source: string;
  /** The class concerns trust, which is not configured for the other programs: their results do not count. */
  isOfTrust?: true;
  attacks: readonly Attack[];
}

/** A legitimate file that must pass, and the expected result. */
export interface GoodFile {
  name: string;
  make(lab: Lab): Promise<Buffer> | Buffer;
  /** `valid` by default. */
  verdict?: Verdict;
  /** Number of its signatures. */
  signatures: number;
  documentModified: 'no' | 'permitted';
  /** The modifications that the verifier must report, in any order, and no others. */
  modifications?: readonly ModificationCode[];
}
