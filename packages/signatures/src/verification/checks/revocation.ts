import { type Check, faultsFor } from './check.ts';
import { madeAfter } from './stamps.ts';

/**
 * Checks that no certificate of the chain is revoked. Does not run for an untrusted chain, because its maker also chose its
 * authorities.
 */
export const revocation: Check = {
  name: 'revocation',
  async run(context) {
    const { evidence, trust, path = [] } = context;
    const { core, type } = evidence;
    const faults = faultsFor(evidence, 'revocation');
    const inquiry = context.inquiry;
    if (core === undefined || trust.revocation === 'none' || path.length < 2 || !inquiry.isAnchored(path))
      return faults.length > 0 ? faults : undefined;
    const isStamp = type === 'documentTimestamp';
    const times = isStamp
      ? { provenTime: context.existedAt, statedTime: core.statedTime }
      : { provenTime: context.provenTime };
    const found = await inquiry.judgeRevocation(path, core, times);
    if (!found.some(({ code }) => code === 'CERTIFICATE_REVOKED')) return [...faults, ...found];
    const younger = { ...times, madeAfter: await madeAfter(context) };
    return [...faults, ...(await inquiry.judgeRevocation(path, core, younger))];
  },
};
