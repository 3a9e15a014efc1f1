import { test } from '@jest/globals';

/** Whether the run is the whole one, `npm run test:all`, and not the core of `npm test`. */
export const isWhole = process.env.TEST_EXTENT === 'whole';

/** A test of the whole run only: another test shows its class, or it takes long for what it finds. */
export const testInWhole: typeof test = isWhole ? test : (test.skip as typeof test);

/** All cases in the whole run; in the core `count` of them, spread evenly over the list from its first. */
export function few<Case>(cases: readonly Case[], count: number): readonly Case[] {
  if (isWhole || cases.length <= count) return cases;
  return Array.from({ length: count }, (_, at) => cases[Math.floor((at * cases.length) / count)] as Case);
}
