import { type Check, faultsFor } from './check.ts';
import { madeAfter } from './stamps.ts';

/**
 * Whether a certificate of the chain is revoked. Not of a chain that nobody trusts: its authorities would be those of whoever
 * made it.
 */
export const revocation: Check = {
  name: 'revocation',
  async run(trial) {
    const { evidence, trust, path = [] } = trial;
    const { core, type } = evidence;
    const faults = faultsFor(evidence, 'revocation');
    const inquiry = trial.inquiry;
    if (core === undefined || trust.revocation === 'none' || path.length < 2 || !inquiry.isAnchored(path))
      return faults.length > 0 ? faults : undefined;
    const isStamp = type === 'documentTimestamp';
    const times = isStamp
      ? { provenTime: trial.existedAt, statedTime: core.statedTime }
      : { provenTime: trial.provenTime };
    const found = await inquiry.judgeRevocation(path, core, times);
    if (!found.some(({ code }) => code === 'CERTIFICATE_REVOKED')) return [...faults, ...found];
    const younger = { ...times, madeAfter: await madeAfter(trial) };
    return [...faults, ...(await inquiry.judgeRevocation(path, core, younger))];
  },
};
