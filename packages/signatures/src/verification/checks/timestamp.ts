import { SKEW_MS_MAX } from '@scriptorium/pki/revocation';
import type { Fault } from '../../reasons.ts';
import { type Check, faultsFor, type ValidationContext } from './check.ts';
import { judgeStamp, stampsOf } from './stamps.ts';

/** Determines the latest possible time of the signature from time-stamps of trusted authorities. */
export const timestamp: Check = {
  name: 'timestamp',
  async run(context) {
    const { evidence, existedAt } = context;
    const { core } = evidence;
    if (existedAt !== undefined) context.provenTime = existedAt;
    const faults = faultsFor(evidence, 'timestamp');
    const stamps = stampsOf(evidence, context.trust);
    if (core === undefined || stamps.length === 0) return faults.length > 0 ? faults : undefined;
    for (const stamp of stamps) {
      const judged = await judgeStamp(stamp, core, context);
      faults.push(...judged.faults);
      if (!judged.isProof || (context.provenTime !== undefined && context.provenTime < stamp.time)) continue;
      context.provenTime = stamp.time;
      context.stampPath = judged.path;
    }
    return [...faults, ...orderFaults(context)];
  },
};

function orderFaults({
  evidence: { type, claimedSigningTime: claimed },
  provenTime: proven,
}: ValidationContext): Fault[] {
  if (type === 'documentTimestamp' || claimed === undefined || proven === undefined) return [];
  if (claimed.getTime() <= proven.getTime() + SKEW_MS_MAX) return [];
  const times = `${claimed.toISOString()}, but it already existed at ${proven.toISOString()}`;
  return [{ code: 'TIMESTAMP_ORDER', message: `The claimed signing time is ${times}.` }];
}
