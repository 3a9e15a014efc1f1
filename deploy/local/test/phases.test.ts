import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from '@jest/globals';

interface Count {
  passed: number;
  failed: number;
}

// Plain JavaScript, because the project's packages may not be installed yet; this is what it exports.
const { countOf, failuresOf, phasesOf, sumOf } = (await import(
  new URL('../phases.mjs', import.meta.url).href
)) as {
  phasesOf(args: string[], cores: number): string[][];
  countOf(result: object | null, exitCode: number): Count | null;
  failuresOf(result: object | null, root: string): string[];
  sumOf(counts: (Count | null)[]): Count;
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
  test('contain every suite once, with the faults separate, and some of them alone', () => {
    const [together = [], faults = [], alone = []] = phasesOf([], 2).map(suitesOf);
    expect([...together, ...faults, ...alone].toSorted()).toEqual(suitesOf([]).toSorted());
    expect(faults.length).toBeGreaterThan(5);
    expect(alone.length).toBeGreaterThan(5);
    expect(together.length).toBeGreaterThan(150);
    expect(alone.filter((path) => !path.includes('/e2e/faults/alone/'))).toEqual([]);
    expect(faults.filter((path) => !/\/e2e\/faults\/[^/]+$/.test(path))).toEqual([]);
    expect(together.filter((path) => path.includes('/e2e/faults/'))).toEqual([]);
  }, 60_000);

  test('find the user’s selection in its phase', () => {
    const [together = [], faults = []] = phasesOf(['e2e/faults/gateway', 'deploy/local'], 2).map(suitesOf);
    expect(faults.map((path) => path.slice(root.length))).toEqual(['e2e/faults/gateway.test.ts']);
    expect(together.every((path) => path.startsWith(`${root}deploy/local/test/`))).toBe(true);
    expect(together.length).toBeGreaterThan(1);
  }, 60_000);

  test('use three workers on two cores, Jest’s default on more, and few for the faults', () => {
    const workersOf = (args: string[], cores: number) =>
      phasesOf(args, cores).map((all) => all.filter((arg) => /^(-w|-i|--maxWorkers)/.test(arg)).join(' '));
    expect(workersOf([], 2)).toEqual(['--maxWorkers=3', '--maxWorkers=2', '--maxWorkers=1']);
    expect(workersOf([], 8)).toEqual(['', '--maxWorkers=2', '--maxWorkers=1']);
    expect(workersOf(['-t', 'name'], 1)).toEqual(['', '--maxWorkers=1', '--maxWorkers=1']);
    expect(workersOf(['--maxWorkers=3'], 2)).toEqual(Array(3).fill('--maxWorkers=3'));
    expect(workersOf(['-i'], 2)).toEqual(Array(3).fill('-i'));
  });
});

describe('the result of a test run', () => {
  const result = (passed: number, failed = 0, broken = 0) => ({
    numPassedTests: passed,
    numFailedTests: failed,
    numRuntimeErrorTestSuites: broken,
  });

  test('is the sum of its phases, of which one may have no tests', () => {
    expect(sumOf([countOf(result(5, 1), 1), countOf(result(2), 0)])).toEqual({ passed: 7, failed: 1 });
    expect(sumOf([countOf(result(0), 0), countOf(result(2), 0)])).toEqual({ passed: 2, failed: 0 });
  });

  test('counts one failure without any test, and for a phase that broke or did not end', () => {
    expect(sumOf([countOf(result(0), 0), countOf(result(0), 0)])).toEqual({ passed: 0, failed: 1 });
    expect(sumOf([])).toEqual({ passed: 0, failed: 1 });
    expect(sumOf([countOf(result(5), 0), countOf(null, 1)])).toEqual({ passed: 5, failed: 1 });
    expect(sumOf([countOf(result(5), 1), countOf(result(1, 0, 2), 1)])).toEqual({ passed: 6, failed: 3 });
  });

  test('names each test that failed, and each suite that did not run, in a line', () => {
    const suite = (name: string, message: string, assertionResults: object[]) => ({
      name: join(root, name),
      message,
      assertionResults,
    });
    const passed = { status: 'passed', fullName: 'adds', failureMessages: [] };
    const failed = {
      status: 'failed',
      fullName: 'sums divide',
      failureMessages: ['Error: \u001b[31mno\u001b[39m\n\nReceived:  5\n    at here'],
    };
    const testResults = [
      suite('a/test/one.test.ts', 'much text', [passed, failed]),
      suite('a/test/two.test.ts', '', [passed]),
      suite('b/test/three.test.ts', '  Cannot find module x\n    at there', []),
    ];
    expect(failuresOf({ testResults }, root)).toEqual([
      'a/test/one.test.ts: sums divide: Error: no Received: 5',
      'b/test/three.test.ts: Cannot find module x',
    ]);
    expect(failuresOf(null, root)).toEqual([]);
  });
});
