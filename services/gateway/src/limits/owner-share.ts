import { createHash } from 'node:crypto';
import type { RunOptions } from '@scriptorium/shared/queue/client';
import type { KeyOwner } from '../auth/api-keys.ts';
import { ownerOf, type Reply } from '../http/context.ts';

/** After the requests of all owners within their budget, and before the packs of batches. */
export const OVER_BUDGET_PRIORITY = 500;
const TAG_BYTES = 16;

/**
 * The name of an owner among workers: a hash of the stored hash of the address. All keys of the owner have it in common,
 * except those with engine seconds of their own, which count for themselves.
 */
export function ownerTag({ id, ownerHash, rights }: KeyOwner): string {
  const isOwn = rights.limits.engineSecondsPerMinute !== undefined;
  const hash = createHash('sha256')
    .update(isOwn ? 'scriptorium-key:' : 'scriptorium-owner:')
    .update(isOwn ? id : ownerHash)
    .digest();
  return hash.subarray(0, TAG_BYTES).toString('base64url');
}

/** How the jobs of a request share the engines with those of others. */
export function shareOf(response: Reply): NonNullable<RunOptions['share']> {
  const { isOverBudget = false } = response.locals;
  return { owner: ownerTag(ownerOf(response)), isOverBudget };
}
