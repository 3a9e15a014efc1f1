import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { handOver } from './hand-over.mjs';
import { root } from './progress.mjs';
import { entry, setup } from './setup.mjs';

const RUN_MS_MAX = 37 * 60_000;

/** Passed and failed tests of a finished run; a suite that did not run, and a run without tests, counts as one failed. */
function count(resultFile, exitCode) {
  if (!existsSync(resultFile)) return { passed: 0, failed: 1 };
  const result = JSON.parse(readFileSync(resultFile, 'utf8'));
  const passed = result.numPassedTests;
  const failed = result.numFailedTests + result.numRuntimeErrorTestSuites;
  const broken = passed === 0 || exitCode !== 0;
  return { passed, failed: failed === 0 && broken ? 1 : failed };
}

await entry(async () => {
  let counted = { passed: 0, failed: 1 };
  const folder = mkdtempSync(join(tmpdir(), 'scriptorium-'));
  try {
    await setup({ forTests: true });
    const resultFile = join(folder, 'result.json');
    const jest = join(root, 'node_modules', 'jest', 'bin', 'jest.js');
    const args = ['--json', `--outputFile=${resultFile}`, ...process.argv.slice(2)];
    const flags = ['--experimental-vm-modules', '--disable-warning=ExperimentalWarning'];
    const code = await handOver([...flags, jest, ...args], {
      env: { NODE_OPTIONS: '', NODE_ENV: 'test' },
      deadlineMs: RUN_MS_MAX,
    });
    counted = count(resultFile, code);
  } catch (error) {
    console.error(`\n${error.message}\n`);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
  console.log(`${counted.passed} passed, ${counted.failed} failed`);
  return counted.failed === 0 ? 0 : 1;
});
