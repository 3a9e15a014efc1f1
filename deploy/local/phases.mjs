import { relative } from 'node:path';
// @boundaries-ignore runs before npm has linked the workspaces
import config from '../../jest.config.js';
import { root } from './progress.mjs';

/** Suites that break services and wait until all is well again: not beside those that use up the processors. */
const FAULTS = '**/e2e/faults/*.test.ts';
/** Suites that load the machine to its limits and check what users notice: nothing else may run at the same time. */
const ALONE = '**/e2e/faults/alone/*.test.ts';
/** Suites that a run leaves out, by its extent. */
const LEFT_OUT = {
  core: ['**/*.long.test.ts', '**/*.nightly.test.ts'],
  whole: ['**/*.nightly.test.ts'],
  nightly: [],
};
const WORKERS_OPTION = /^(-w|-i$|--(maxWorkers|max-workers|runInBand|run-in-band)\b)/;

/**
 * Jest's arguments for each phase of a run, in order. First come the suites that can share the machine, then the faults, then
 * what must be alone. `args` are the user's, passed to all; `extent` is `core`, `whole` or `nightly`. On one or two cores Jest
 * would use a single worker; but many suites wait for a limit of time, or for the disk.
 */
export function phasesOf(args, cores, extent) {
  const isUsersChoice = args.some((arg) => WORKERS_OPTION.test(arg));
  const together = cores === 2 ? ['--maxWorkers=3'] : [];
  const phase = (matches, workers) => [
    ...args,
    ...[...matches, ...LEFT_OUT[extent].map((match) => `!${match}`)].map((match) => `--testMatch=${match}`),
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
 * What a phase says at its end: counts, and lines for the user. `lines` are those of the reporter, `exitCode` is Jest's,
 * `files` lists all files of the phase. A phase that was cut off names what it did not run.
 */
export function resultOf(lines, exitCode, files) {
  const ran = lines.filter(({ path }) => path !== undefined);
  const passed = ran.reduce((sum, line) => sum + line.passed, 0);
  const failures = ran.flatMap(({ path, failures }) =>
    failures.map((failure) => `failed: ${relative(root, path)}: ${failure}`),
  );
  const result = { passed, failed: failures.length, isComplete: true, notes: failures };
  // Without a test, Jest calls no reporter.
  if (exitCode !== 0 && !lines.some(({ isEnd }) => isEnd)) {
    const missing = files().filter((file) => !ran.some(({ path }) => path === file));
    const notes = [...failures, ...missing.map((file) => `not run: ${relative(root, file)}`)];
    return { ...result, isComplete: false, notes };
  }
  if (exitCode === 0 || failures.length > 0) return result;
  return { ...result, failed: 1, notes: [`failed: Jest ended with code ${exitCode}, though no test failed`] };
}
