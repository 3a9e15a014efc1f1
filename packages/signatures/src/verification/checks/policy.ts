import type { Fault, ReasonCode } from '../../reasons.ts';
import { changeText } from '../../reports/sentences.ts';
import type { Modification } from '../../verify-report.ts';
import { type Check, faultsFor } from './check.ts';

const CODES: Record<Modification['level'], { code: ReasonCode; what: string }> = {
  forbidden: { code: 'MODIFICATION_FORBIDDEN', what: 'Change after signing that is not permitted' },
  doubtful: {
    code: 'MODIFICATION_DOUBTFUL',
    what: 'Permitted change after signing that may conceal signed content',
  },
  permitted: { code: 'MODIFICATION_PERMITTED', what: 'Permitted change after signing' },
};

/** Checks that the algorithms are strong enough, and that the signature permits all later changes. */
export const policy: Check = {
  name: 'policy',
  run({ evidence }) {
    const faults = faultsFor(evidence, 'policy');
    if (evidence.core === undefined && faults.length + evidence.modifications.length === 0) return undefined;
    const levels = Object.keys(CODES) as Modification['level'][];
    return [...faults, ...levels.flatMap((level) => reasonsOf(level, evidence.modifications))];
  },
};

/** Returns one reason for all modifications of a level; the report lists them separately. */
function reasonsOf(level: Modification['level'], modifications: readonly Modification[]): Fault[] {
  const those = modifications.filter((each) => each.level === level);
  const [first] = those;
  if (first === undefined) return [];
  const { code, what } = CODES[level];
  const others = those.length === 1 ? '' : ` (one of ${those.length})`;
  return [{ code, message: `${what}${others}: ${changeText(first)}` }];
}
