import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from '@jest/globals';
import { testInWhole } from '@scriptorium/testing/extent';

type Line = { path: string; passed: number; failures: string[] } | { isEnd: boolean };

interface Result {
  passed: number;
  failed: number;
  isComplete: boolean;
  notes: string[];
}

// Plain JavaScript, because the project's packages may not be installed yet; this is what they export.
const { phasesOf, resultOf } = (await import(new URL('../phases.mjs', import.meta.url).href)) as {
  phasesOf(args: string[], cores: number, extent: 'core' | 'whole' | 'nightly'): string[][];
  resultOf(lines: Line[], exitCode: number, files: () => string[]): Result;
};
const { readResults } = (await import(new URL('../test-results.mjs', import.meta.url).href)) as {
  readResults(file: string): object[];
};

const root = fileURLToPath(new URL('../../..', import.meta.url));

function suitesOf(args: string[]): string[] {
  const jest = ['node_modules/jest/bin/jest.js', '--listTests'];
  const listed = execFileSync(process.execPath, [...jest, ...args], {
    cwd: root,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  return listed.split('\n').filter((line) => line.startsWith(root));
}

describe('the phases of a test run', () => {
  testInWhole(
    'contain every suite once, with the faults separate, and some of them alone',
    () => {
      const [together = [], faults = [], alone = []] = phasesOf([], 2, 'nightly').map(suitesOf);
      expect([...together, ...faults, ...alone].toSorted()).toEqual(suitesOf([]).toSorted());
      expect(faults.length).toBeGreaterThan(5);
      expect(alone.length).toBeGreaterThan(5);
      expect(together.length).toBeGreaterThan(150);
      expect(alone.filter((path) => !path.includes('/e2e/faults/alone/'))).toEqual([]);
      expect(faults.filter((path) => !/\/e2e\/faults\/[^/]+$/.test(path))).toEqual([]);
      expect(together.filter((path) => path.includes('/e2e/faults/'))).toEqual([]);
    },
    60_000,
  );

  testInWhole(
    'contain no long suite in the core, and no nightly one in the whole',
    () => {
      const all = suitesOf([]);
      const [core, whole] = (['core', 'whole'] as const).map((extent) =>
        phasesOf([], 2, extent).flatMap(suitesOf).toSorted(),
      );
      expect(core).toEqual(all.filter((path) => !/\.(long|nightly)\.test\.ts$/.test(path)).toSorted());
      expect(whole).toEqual(all.filter((path) => !path.endsWith('.nightly.test.ts')).toSorted());
      expect(core?.length).toBeLessThan(whole?.length ?? 0);
    },
    60_000,
  );

  testInWhole(
    'find the user’s selection in its phase',
    () => {
      const [together = [], faults = []] = phasesOf(['e2e/faults/gateway', 'deploy/local'], 2, 'whole').map(
        suitesOf,
      );
      expect(faults.map((path) => path.slice(root.length))).toEqual(['e2e/faults/gateway.test.ts']);
      expect(together.every((path) => path.startsWith(`${root}deploy/local/test/`))).toBe(true);
      expect(together.length).toBeGreaterThan(1);
    },
    60_000,
  );

  test('use three workers on two cores, Jest’s default on more, and few for the faults', () => {
    const workersOf = (args: string[], cores: number) =>
      phasesOf(args, cores, 'whole').map((all) =>
        all.filter((arg) => /^(-w|-i|--maxWorkers)/.test(arg)).join(' '),
      );
    expect(workersOf([], 2)).toEqual(['--maxWorkers=3', '--maxWorkers=2', '--maxWorkers=1']);
    expect(workersOf([], 8)).toEqual(['', '--maxWorkers=2', '--maxWorkers=1']);
    expect(workersOf(['-t', 'name'], 1)).toEqual(['', '--maxWorkers=1', '--maxWorkers=1']);
    expect(workersOf(['--maxWorkers=3'], 2)).toEqual(Array(3).fill('--maxWorkers=3'));
    expect(workersOf(['-i'], 2)).toEqual(Array(3).fill('-i'));
  });
});

describe('the result of a phase', () => {
  const END = { isEnd: true };
  const file = (name: string, passed: number, failures: string[] = []): Line => ({
    path: join(root, name),
    passed,
    failures,
  });
  const none = () => [];

  test('has its counts, and a line for each failure', () => {
    const lines = [file('a/test/one.test.ts', 5, ['sums divide: Error: no']), file('b.test.ts', 2), END];
    expect(resultOf(lines, 1, none)).toEqual({
      ...{ passed: 7, failed: 1, isComplete: true },
      notes: ['failed: a/test/one.test.ts: sums divide: Error: no'],
    });
    expect(resultOf([file('b.test.ts', 2), END], 0, none)).toMatchObject({ passed: 2, failed: 0, notes: [] });
  });

  test('counts one failure if Jest fails without any', () => {
    const notes = ['failed: Jest ended with code 1, though no test failed'];
    expect(resultOf([file('b.test.ts', 2), END], 1, none)).toMatchObject({ failed: 1, notes });
  });

  test('names what was not run, and invents no failure, if Jest was cut off', () => {
    const files = () => ['a.test.ts', 'b.test.ts'].map((name) => join(root, name));
    expect(resultOf([file('b.test.ts', 2)], 1, files)).toEqual({
      ...{ passed: 2, failed: 0, isComplete: false },
      notes: ['not run: a.test.ts'],
    });
  });

  test('may be empty, if the names of the user match another phase only', () => {
    expect(resultOf([], 0, none)).toMatchObject({ passed: 0, failed: 0, isComplete: true });
  });
});

test('the reporter leaves the result of each file, with its errors in a line', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'reporter-'));
  process.env.TEST_RESULTS = join(folder, 'results');
  const { default: TestReporter } = await import(new URL('../test-reporter.mjs', import.meta.url).href);
  const reporter = new TestReporter();
  const passed = { status: 'passed', fullName: 'adds', failureMessages: [], duration: 3 };
  const failed = {
    ...{ status: 'failed', fullName: 'sums divide', duration: null },
    failureMessages: ['Error: \u001b[31mno\u001b[39m\n\nReceived:  5\n    at here'],
  };
  const suite = { numPassingTests: 1, perfStats: { runtime: 5 }, testResults: [passed, failed] };
  reporter.onTestResult({ path: '/a.test.ts' }, { ...suite, failureMessage: 'much text' });
  const broken = { failureMessage: '  Cannot find module x\n    at there', testResults: [] };
  reporter.onTestResult({ path: '/b.test.ts' }, { ...suite, numPassingTests: 0, ...broken });
  reporter.onRunComplete();
  const results = readResults(process.env.TEST_RESULTS);
  rmSync(folder, { recursive: true });
  expect(results).toMatchObject([
    {
      passed: 1,
      failures: ['sums divide: Error: no Received: 5'],
      tests: [
        ['adds', 3],
        ['sums divide', 0],
      ],
    },
    { passed: 0, failures: ['Cannot find module x'] },
    { isEnd: true },
  ]);
});
