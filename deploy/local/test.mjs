import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { cpus, tmpdir } from 'node:os';
import { join } from 'node:path';
import { handOver } from './hand-over.mjs';
import { needsSystem } from './needs.mjs';
import { countOf, failuresOf, phasesOf, sumOf } from './phases.mjs';
import { root } from './progress.mjs';
import { entry, installDependencies, nodeBinary, setup } from './setup.mjs';

/** Time limit of all phases together. */
const RUN_MS_MAX = 37 * 60_000;
const FLAGS = ['--experimental-vm-modules', '--disable-warning=ExperimentalWarning'];

const jest = join(root, 'node_modules', 'jest', 'bin', 'jest.js');

/** Whether the named tests need only the npm packages. Without a name, all tests are meant. */
function areAlone(args) {
  if (args.every((arg) => arg.startsWith('-'))) return false;
  const listed = spawnSync(nodeBinary, [...FLAGS, jest, '--listTests', ...args], {
    cwd: root,
    encoding: 'utf8',
  });
  const files = (listed.stdout ?? '').split('\n').filter((line) => line.endsWith('.test.ts'));
  return files.length > 0 && !files.some((file) => needsSystem(file));
}

/** Runs Jest. Returns its counts, null if it did not finish, and a line for each failure. */
async function run(args, resultFile, deadlineMs, env) {
  const code = await handOver([...FLAGS, jest, ...args, '--json', `--outputFile=${resultFile}`], {
    env: { NODE_OPTIONS: '', NODE_ENV: 'test', ...env },
    deadlineMs,
  });
  const result = existsSync(resultFile) ? JSON.parse(readFileSync(resultFile, 'utf8')) : null;
  return { count: countOf(result, code), failures: failuresOf(result, root) };
}

await entry(async () => {
  const counts = [];
  const failed = [];
  const folder = mkdtempSync(join(tmpdir(), 'scriptorium-'));
  try {
    await installDependencies();
    const isAlone = areAlone(process.argv.slice(2));
    if (!isAlone) await setup({ forTests: true });
    const env = isAlone ? { WITHOUT_SERVERS: '1' } : {};
    const endsAt = Date.now() + RUN_MS_MAX;
    for (const args of phasesOf(process.argv.slice(2), cpus().length)) {
      const file = join(folder, `${counts.length}.json`);
      const { count, failures } = await run(args, file, endsAt - Date.now(), env);
      counts.push(count);
      failed.push(...failures);
      // Out of time, or interrupted.
      if (count === null) break;
    }
  } catch (error) {
    console.error(`\n${error.message}\n`);
    counts.push(null);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
  for (const line of failed) console.log(`failed: ${line}`);
  const sum = sumOf(counts);
  console.log(`${sum.passed} passed, ${sum.failed} failed`);
  return sum.failed === 0 ? 0 : 1;
});
