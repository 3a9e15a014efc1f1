import { INTEGRITY, type Integrity, TIME, type Time, TRUST, type Trust, worst } from '../questions.ts';
import { type CheckName, REASONS } from '../reasons.ts';
import type { Finding } from './checks/check.ts';
import type { Assessment } from './policy.ts';

/** Checks without which a question cannot be answered well. */
const NEEDED = {
  integrity: ['format', 'coverage', 'digest', 'signature', 'policy'],
  trust: ['signature', 'chain'],
} as const satisfies Record<string, CheckName[]>;

/** What is known about one signature, beside its findings. */
export interface Circumstances {
  isServiceKey: boolean;
  provenTime: Date | undefined;
  claimedTime: Date | undefined;
}

export interface ThreeAnswers {
  integrity: Integrity;
  trust: Trust;
  time: Time;
}

/** Answers the three questions of a report for one signature: each by the worst of its reasons. */
export function answersOf(
  findings: readonly Finding[],
  { isServiceKey, provenTime, claimedTime }: Circumstances,
): ThreeAnswers {
  const answers = findings.flatMap(({ reasons }) =>
    reasons.flatMap(({ code }) => REASONS[code].answers ?? []),
  );
  const isSkipped = (needed: readonly CheckName[]) =>
    findings.some(({ check, result }) => needed.includes(check) && result === 'notChecked');
  const unknown = (needed: readonly CheckName[]) => (isSkipped(needed) ? (['unknown'] as const) : []);
  const trust = answers.flatMap((each) => each.trust ?? []);
  // The chain of the service's own key needs no anchor of the request.
  const beyondChain = isServiceKey ? trust.filter((each) => each !== 'untrusted') : trust;
  const isOwn = beyondChain.length < trust.length;
  const stated = provenTime !== undefined ? 'proven' : claimedTime !== undefined ? 'claimed' : 'absent';
  return {
    integrity: worst(
      INTEGRITY,
      [...unknown(NEEDED.integrity), ...answers.flatMap((each) => each.integrity ?? [])],
      'intact',
    ),
    trust: worst(TRUST, [...unknown(NEEDED.trust), ...beyondChain], isOwn ? 'service' : 'trusted'),
    time: worst(TIME, [...answers.flatMap((each) => each.time ?? [])], stated),
  };
}

/** A signature with its own answers. */
export interface Answered extends Assessment {
  answers: ThreeAnswers;
}

/** Answers for the document: the worst of the signatures that `judgeDocument` counts. */
export function answersOfDocument(counted: readonly Answered[]): ThreeAnswers {
  const people = counted.filter(({ evidence }) => evidence.type !== 'documentTimestamp');
  const vouching = people.length > 0 ? people : counted;
  if (vouching.length === 0) return { integrity: 'unknown', trust: 'unknown', time: 'absent' };
  return {
    integrity: worst(
      INTEGRITY,
      counted.map(({ answers }) => answers.integrity),
      'intact',
    ),
    trust: worst(
      TRUST,
      vouching.map(({ answers }) => answers.trust),
      'trusted',
    ),
    time: worst(
      TIME,
      vouching.map(({ answers }) => answers.time),
      'proven',
    ),
  };
}
