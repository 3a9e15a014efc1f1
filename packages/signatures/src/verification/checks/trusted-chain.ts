import { type Check, faultsFor } from './check.ts';
import { madeAfter } from './stamps.ts';

/**
 * Checks that the signer's certificate chains to a trust anchor, at the earliest proven time of the signature, otherwise at
 * the validation time. A document time-stamp does not prove its own time: later time-stamps do.
 */
export const chain: Check = {
  name: 'chain',
  async run(context) {
    const { evidence, trust } = context;
    const { core, type } = evidence;
    const faults = faultsFor(evidence, 'chain');
    if (core?.signer === undefined) return faults.length > 0 ? faults : undefined;
    const isStamp = type === 'documentTimestamp';
    const proven = isStamp ? context.existedAt : context.provenTime;
    const as = { time: proven ?? trust.validationTime, usage: isStamp ? 'timestamping' : 'signing' } as const;
    const inquiry = context.inquiry;
    let found = await inquiry.findPath(core.signer, core, [], as);
    if (found.faults.some(({ code }) => code === 'CERTIFICATE_EXPIRED'))
      found = await inquiry.findPath(core.signer, core, [], { ...as, madeAfter: await madeAfter(context) });
    context.path = found.path;
    return [...faults, ...found.faults];
  },
};
