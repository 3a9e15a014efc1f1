import { createHash } from 'node:crypto';
import type { RunOptions } from '@scriptorium/shared/queue/client';
import type { KeyOwner } from '../auth/api-keys.ts';
import { ownerOf, type Reply } from '../http/context.ts';

/** After the requests and the packs of all owners within their budget. */
export const OVER_BUDGET_PRIORITY = 2_000;
const TAG_BYTES = 16;

/**
 * The name of an owner among workers: a hash of the stored hash of the address. All keys of the owner have it in common,
 * except those with engine seconds of their own, which count for themselves. All trial keys are one owner, since anyone may
 * have many of them.
 */
export function ownerTag({ id, ownerHash, rights }: KeyOwner): string {
  const hash = createHash('sha256');
  if (rights.origin === 'trial') hash.update('scriptorium-trials');
  else if (rights.limits.engineSecondsPerMinute !== undefined) hash.update('scriptorium-key:').update(id);
  else hash.update('scriptorium-owner:').update(ownerHash);
  return hash.digest().subarray(0, TAG_BYTES).toString('base64url');
}

/** How the jobs of a request share the engines with those of others. */
export function shareOf(response: Reply): NonNullable<RunOptions['share']> {
  const { isOverBudget = false } = response.locals;
  return { owner: ownerTag(ownerOf(response)), isOverBudget };
}
