import { type Check, faultsFor } from './check.ts';

/** Whether what was signed is as it was. */
export const digest: Check = {
  name: 'digest',
  run({ evidence }) {
    const faults = faultsFor(evidence, 'digest');
    const { core } = evidence;
    if (faults.length > 0 || core === undefined) return faults.length > 0 ? faults : undefined;
    if (core.digestHolds) return [];
    return [
      {
        code: 'DIGEST_MISMATCH',
        message: 'What was signed was changed afterwards: its digest is another one.',
      },
    ];
  },
};
