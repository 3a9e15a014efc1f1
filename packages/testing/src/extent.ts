import { test } from '@jest/globals';

/** Whether the run is the whole one, `npm run test:all`, and not the core of `npm test`. */
export const isWhole = process.env.TEST_EXTENT === 'whole';

/** A test of the whole run only: another test shows its class, or it takes long for what it finds. */
export const testInWhole: typeof test = isWhole ? test : (test.skip as typeof test);

/**
 * `count` of the cases in the core, and `countInWhole` of them in the whole run, by default all: spread evenly over the list from
 * its first.
 */
export function few<Case>(
  cases: readonly Case[],
  countInCore: number,
  countInWhole = cases.length,
): readonly Case[] {
  const count = isWhole ? countInWhole : countInCore;
  if (cases.length <= count) return cases;
  return Array.from({ length: count }, (_, at) => cases[Math.floor((at * cases.length) / count)] as Case);
}
