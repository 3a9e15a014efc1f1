import type { ModificationCode, ReasonCode } from '../../src/reasons.ts';
import type { Verdict } from '../../src/verify-report.ts';
import type { Lab } from './lab.ts';

/** One file that somebody made to be taken for what it is not, and what has to come of it. */
export interface Attack {
  /** What was done to the document: a sentence without its end. */
  name: string;
  make(lab: Lab): Promise<Buffer> | Buffer;
  /** `invalid` by default. */
  verdict?: Verdict;
  /** Reasons of which one at least has to be given. */
  codes: readonly ReasonCode[];
  /** What has to be among the modifications that are not permitted. */
  modification?: ModificationCode;
  /** Text that nobody signed, and that a reader shows. */
  shows?: string;
  /** Passed to the verifier. */
  revocation?: 'none' | 'embedded' | 'online';
}

/** Attacks of one kind. */
export interface AttackClass {
  name: string;
  /** Where it was published. */
  source: string;
  /** It is about whom to trust, which the other programs are not told: what they say is not counted. */
  isOfTrust?: true;
  attacks: readonly Attack[];
}

/** An honest file that has to pass, and what of it. */
export interface GoodFile {
  name: string;
  make(lab: Lab): Promise<Buffer> | Buffer;
  /** `valid` by default. */
  verdict?: Verdict;
  /** Of its signatures. */
  signatures: number;
  documentModified: 'no' | 'permitted';
  /** What the verifier has to see in it, in any order, and nothing else. */
  modifications?: readonly ModificationCode[];
}
