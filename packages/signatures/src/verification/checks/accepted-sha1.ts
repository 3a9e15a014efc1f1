import type { Fault } from '../../reasons.ts';
import type { Trust } from './inquiry.ts';

type Acceptance = Pick<Trust, 'acceptSha1Before'>;

/** Whether SHA-1 counts for what provably existed at this time. A claimed time proves nothing. */
export const acceptsSha1 = (provenTime: Date | undefined, { acceptSha1Before }: Acceptance): boolean =>
  provenTime !== undefined && acceptSha1Before !== undefined && provenTime < acceptSha1Before;

/**
 * Turns doubts about SHA-1, and no others, into a warning if the request accepts SHA-1 at the proven time. SHA-1 in the
 * certificates of a chain counts as well: they vouched for what existed then.
 */
export function acceptSha1(
  faults: readonly Fault[],
  provenTime: Date | undefined,
  acceptance: Acceptance,
): Fault[] {
  if (!acceptsSha1(provenTime, acceptance)) return [...faults];
  return faults.map((fault) =>
    fault.code === 'WEAK_ALGORITHM' && fault.isSha1
      ? {
          code: 'SHA1_ACCEPTED',
          message: `${fault.message} It provably existed before the date in the request.`,
        }
      : fault,
  );
}
