import { type Check, faultsFor } from './check.ts';

/** Whether the signature covers all of the document that it signs: never is a part of one enough. */
export const coverage: Check = {
  name: 'coverage',
  run({ evidence }) {
    const faults = faultsFor(evidence, 'coverage');
    return evidence.core === undefined && faults.length === 0 ? undefined : faults;
  },
};
