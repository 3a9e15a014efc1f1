import { test } from '@jest/globals';

const { TEST_EXTENT } = process.env;

/** Whether the run is `npm run test:nightly`. */
export const isNightly = TEST_EXTENT === 'nightly';

/** Whether the run is the whole one, `npm run test:all`, or the nightly one, and not the core of `npm test`. */
export const isWhole = TEST_EXTENT === 'whole' || isNightly;

type Test = typeof test;

const testIf = (runs: boolean): Test => (runs ? test : (test.skip as Test));

/** A test of the whole run only: another test shows its class, or it takes long for what it finds. */
export const testInWhole: Test = testIf(isWhole);

/** A test of the nightly run only: more of what the whole run has, or a measurement. */
export const testInNightly: Test = testIf(isNightly);

/**
 * `count` of the cases in the core, and `countInWhole` of them in the whole run, by default all. They are spread evenly over the
 * list from its first. The nightly run has all.
 */
export function few<Case>(
  cases: readonly Case[],
  countInCore: number,
  countInWhole = cases.length,
): readonly Case[] {
  const count = isWhole ? countInWhole : countInCore;
  if (isNightly || cases.length <= count) return cases;
  return Array.from({ length: count }, (_, at) => cases[Math.floor((at * cases.length) / count)] as Case);
}
