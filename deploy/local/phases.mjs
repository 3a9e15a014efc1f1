import { relative } from 'node:path';
import { stripVTControlCharacters } from 'node:util';
// @boundaries-ignore runs before npm has linked the workspaces
import config from '../../jest.config.js';

/** Suites that break services and wait until all is well again: not beside those that use up the processors. */
const FAULTS = '**/e2e/faults/*.test.ts';
/** Suites that load the machine to its limits and check what users notice: nothing else may run at the same time. */
const ALONE = '**/e2e/faults/alone/*.test.ts';
const ERROR_LENGTH_MAX = 300;
const WORKERS_OPTION = /^(-w|-i$|--(maxWorkers|max-workers|runInBand|run-in-band)\b)/;

/**
 * Jest's arguments for each phase of a run, in order: first the suites that can share the machine, then the faults, then
 * what must be alone. `args` are the user's, passed to all. On one or two cores Jest would use a single worker; but many
 * suites wait for a limit of time, or for the disk.
 */
export function phasesOf(args, cores) {
  const isUsersChoice = args.some((arg) => WORKERS_OPTION.test(arg));
  const together = cores === 2 ? ['--maxWorkers=3'] : [];
  const phase = (matches, workers) => [
    ...args,
    ...matches.map((match) => `--testMatch=${match}`),
    ...(isUsersChoice ? [] : workers),
    // The user's selection may match only the other phase.
    '--passWithNoTests',
  ];
  return [
    phase([...config.testMatch, `!${FAULTS}`, `!${ALONE}`], together),
    phase([FAULTS], [`--maxWorkers=${Math.min(cores, 2)}`]),
    phase([ALONE], ['--maxWorkers=1']),
  ];
}

/**
 * Passed and failed tests of a phase, from Jest's result file and its exit code; a suite that did not run counts as one
 * failure. Null if Jest wrote no result.
 */
export function countOf(result, exitCode) {
  if (result === null) return null;
  const failed = result.numFailedTests + result.numRuntimeErrorTestSuites;
  return { passed: result.numPassedTests, failed: failed === 0 && exitCode !== 0 ? 1 : failed };
}

/**
 * A line for each failed test of a phase: its file, its name and its error without the stack. A run prints thousands of
 * lines, and what keeps only its end must still tell what failed. `root` is the folder of the project.
 */
export function failuresOf(result, root) {
  const short = (text = '') =>
    stripVTControlCharacters(text)
      .split(/\n\s+at /)[0]
      .trim()
      .replace(/\s+/g, ' ')
      .slice(0, ERROR_LENGTH_MAX);
  return (result?.testResults ?? []).flatMap(({ name, message, assertionResults }) => {
    const file = relative(root, name);
    const failed = assertionResults.filter(({ status }) => status === 'failed');
    if (failed.length > 0)
      return failed.map((test) => `${file}: ${test.fullName}: ${short(test.failureMessages[0])}`);
    return message ? [`${file}: ${short(message)}`] : [];
  });
}

/** The sum of all phases; a phase that did not end, or a run without tests, counts as one failure. */
export function sumOf(counts) {
  const passed = counts.reduce((sum, count) => sum + (count?.passed ?? 0), 0);
  const failed = counts.reduce((sum, count) => sum + (count?.failed ?? 1), 0);
  return { passed, failed: passed + failed === 0 ? 1 : failed };
}
