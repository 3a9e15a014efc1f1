import type { Fault, ReasonCode } from '../../reasons.ts';
import type { Modification } from '../../verify-report.ts';
import { type Check, faultsFor } from './check.ts';

const CODES: Record<Modification['level'], { code: ReasonCode; what: string }> = {
  forbidden: { code: 'MODIFICATION_FORBIDDEN', what: 'not permitted' },
  doubtful: { code: 'MODIFICATION_DOUBTFUL', what: 'permitted, and may hide what was signed' },
  permitted: { code: 'MODIFICATION_PERMITTED', what: 'permitted' },
};
const PATH_CHARS_MAX = 100;

/** Whether the algorithms are strong enough, and what became of the document is what the signature permits. */
export const policy: Check = {
  name: 'policy',
  run({ evidence }) {
    const faults = faultsFor(evidence, 'policy');
    if (evidence.core === undefined && faults.length + evidence.modifications.length === 0) return undefined;
    const levels = Object.keys(CODES) as Modification['level'][];
    return [...faults, ...levels.flatMap((level) => told(level, evidence.modifications))];
  },
};

/** One reason for all modifications of a level: the list of them is beside it in the report. */
function told(level: Modification['level'], modifications: readonly Modification[]): Fault[] {
  const those = modifications.filter((each) => each.level === level);
  const [first] = those;
  if (first === undefined) return [];
  const { code, what } = CODES[level];
  const where = `${first.code} at ${first.path.slice(0, PATH_CHARS_MAX)}`;
  const others = those.length === 1 ? '' : `, and ${those.length - 1} more`;
  return [{ code, message: `Changed after it was signed, ${what}: ${where}${others}.` }];
}
