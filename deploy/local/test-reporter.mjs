import { appendFileSync } from 'node:fs';

const ERROR_LENGTH_MAX = 300;
/** Not `stripVTControlCharacters`: Jest gives its messages colors only. */
const COLORS = new RegExp(`${String.fromCharCode(27)}\\[[0-9;]*m`, 'g');

const short = (text = '') =>
  text
    .replace(COLORS, '')
    .split(/\n\s+at /)[0]
    .trim()
    .replace(/\s+/g, ' ')
    .slice(0, ERROR_LENGTH_MAX);

/**
 * A reporter for Jest. It adds a line of JSON for each file to TEST_RESULTS as soon as the file ends. So a run that is cut off
 * has its results too.
 */
export default class TestReporter {
  onTestResult({ path }, result) {
    const { numPassingTests: passed, perfStats, testExecError, failureMessage, testResults } = result;
    const failures = testResults
      .filter(({ status }) => status === 'failed')
      .map(({ fullName, failureMessages }) => `${fullName}: ${short(failureMessages[0])}`);
    if (failures.length === 0 && (testExecError || failureMessage))
      failures.push(short(failureMessage ?? testExecError.message));
    const tests = testResults.map(({ fullName, duration }) => [fullName, duration ?? 0]);
    const line = { path, ms: perfStats.runtime, passed, failures, tests };
    appendFileSync(process.env.TEST_RESULTS, `${JSON.stringify(line)}\n`);
  }

  onRunComplete() {
    appendFileSync(process.env.TEST_RESULTS, `${JSON.stringify({ isEnd: true })}\n`);
  }
}
