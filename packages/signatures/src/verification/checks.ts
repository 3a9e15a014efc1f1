import type { Fault } from '../reasons.ts';
import { CHECKS, type CheckName, REASONS } from '../reasons.ts';
import { acceptSha1 } from './checks/accepted-sha1.ts';
import { asReasons, type Check, type Finding, resultOf, type ValidationContext } from './checks/check.ts';
import { FACT_CHECKS } from './checks/facts.ts';
import { policy } from './checks/policy.ts';
import { revocation } from './checks/revocation.ts';
import { timestamp } from './checks/timestamp.ts';
import { chain } from './checks/trusted-chain.ts';

/** In run order: the chain is judged at the time that time-stamps prove. */
const ORDERED: readonly Check[] = [...FACT_CHECKS, timestamp, chain, revocation, policy];

/** Runs all checks. A fault counts for the check of its code, regardless of which check found it. */
export async function runChecks(context: ValidationContext): Promise<Finding[]> {
  const found: Fault[] = [];
  const checked = new Set<CheckName>();
  for (const check of ORDERED) {
    const ofCheck = await check.run(context);
    if (ofCheck === undefined) continue;
    checked.add(check.name);
    found.push(...ofCheck);
  }
  const faults = acceptSha1(found, context.provenTime, context.trust);
  return CHECKS.map((check) => {
    const reasons = asReasons(faults.filter(({ code }) => REASONS[code].check === check));
    const isChecked = checked.has(check) || reasons.length > 0;
    return { check, result: isChecked ? resultOf(reasons) : 'notChecked', reasons };
  });
}
