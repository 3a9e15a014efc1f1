// @boundaries-ignore runs before npm has linked the workspaces
import config from '../../jest.config.js';

/** Suites that bring the machine to its limits, and look at what users notice then: nothing else may run beside them. */
const ALONE = '**/e2e/faults/**';
const WORKERS_OPTION = /^(-w|-i$|--(maxWorkers|max-workers|runInBand|run-in-band)\b)/;

/**
 * Jest's arguments for each part of a run, in their order: what may share the machine, and what may not. `args` are the
 * user's, which both get; on one or two cores Jest alone would take one worker for all.
 */
export function phasesOf(args, cores) {
  const isUsersChoice = args.some((arg) => WORKERS_OPTION.test(arg));
  const together = cores === 2 ? ['--maxWorkers=2'] : [];
  const phase = (matches, workers) => [
    ...args,
    ...matches.map((match) => `--testMatch=${match}`),
    ...(isUsersChoice ? [] : workers),
    // What the user asks for may lie in the other part.
    '--passWithNoTests',
  ];
  return [
    phase([...config.testMatch, `!${ALONE}`], together),
    phase([`${ALONE}/*.test.ts`], ['--maxWorkers=1']),
  ];
}

/**
 * Passed and failed tests of a part, from what Jest wrote and its exit code; a suite that did not run counts as one failed.
 * Null where it wrote nothing.
 */
export function countOf(result, exitCode) {
  if (result === null) return null;
  const failed = result.numFailedTests + result.numRuntimeErrorTestSuites;
  return { passed: result.numPassedTests, failed: failed === 0 && exitCode !== 0 ? 1 : failed };
}

/** Of the whole run; a part that did not end, and a run without tests, count as one failed. */
export function sumOf(counts) {
  const passed = counts.reduce((sum, count) => sum + (count?.passed ?? 0), 0);
  const failed = counts.reduce((sum, count) => sum + (count?.failed ?? 1), 0);
  return { passed, failed: passed + failed === 0 ? 1 : failed };
}
