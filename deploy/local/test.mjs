import { spawnSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { cpus } from 'node:os';
import { dirname, join } from 'node:path';
import { handOver } from './hand-over.mjs';
import { needsSystem } from './needs.mjs';
import { phasesOf, resultOf } from './phases.mjs';
import { root, say } from './progress.mjs';
import { entry, installDependencies, nodeBinary, setup } from './setup.mjs';
import { RESULTS, readResults } from './test-results.mjs';

const FLAGS = ['--conditions=source', '--disable-warning=ExperimentalWarning'];

/** What the setup has installed goes before what a version manager puts in its place, and starts sooner. */
const SYSTEM_FIRST = `/usr/bin:${process.env.PATH}`;

/** The option that names each extent but the core. */
const EXTENTS = { '--all': 'whole', '--nightly': 'nightly' };

const jest = join(root, 'node_modules', 'jest', 'bin', 'jest.js');

function filesOf(args) {
  const listed = spawnSync(nodeBinary, [...FLAGS, jest, '--listTests', ...args], {
    cwd: root,
    encoding: 'utf8',
  });
  return (listed.stdout ?? '').split('\n').filter((line) => line.endsWith('.test.ts'));
}

/** Whether the named tests need only the npm packages. Without a name, all tests are meant. */
function areAlone(args) {
  if (args.every((arg) => arg.startsWith('-'))) return false;
  const files = filesOf(args);
  return files.length > 0 && !files.some((file) => needsSystem(file));
}

/** Runs Jest for one phase. */
async function run(args, env) {
  const before = readResults().length;
  const reporters = ['default', join(root, 'deploy', 'local', 'test-reporter.mjs')];
  const code = await handOver([...FLAGS, jest, ...args, ...reporters.map((name) => `--reporters=${name}`)], {
    env: { NODE_OPTIONS: '', NODE_ENV: 'test', TEST_RESULTS: RESULTS, PATH: SYSTEM_FIRST, ...env },
  });
  return resultOf(readResults().slice(before), code, () => filesOf(args));
}

await entry(async () => {
  const args = process.argv.slice(2).filter((arg) => !(arg in EXTENTS));
  const extent = EXTENTS[process.argv.find((arg) => arg in EXTENTS)] ?? 'core';
  await installDependencies();
  const isAlone = areAlone(args);
  if (!isAlone) await setup({ forTests: true });
  const env = { ...(isAlone ? { WITHOUT_SERVERS: '1' } : {}), TEST_EXTENT: extent };
  mkdirSync(dirname(RESULTS), { recursive: true });
  writeFileSync(RESULTS, '');
  let passed = 0;
  let failed = 0;
  const notes = [];
  let isComplete = true;
  for (const phase of phasesOf(args, cpus().length, extent)) {
    // A run that was cut off names what it did not run, of the phases behind it, too.
    const result = isComplete ? await run(phase, env) : resultOf([], 1, () => filesOf(phase));
    passed += result.passed;
    failed += result.failed;
    notes.push(...result.notes);
    isComplete &&= result.isComplete;
  }
  for (const line of notes) console.log(line);
  if (!isComplete) say('The run was cut off before its end.');
  if (isComplete && passed + failed === 0) {
    const where = extent === 'whole' ? '' : ' Tests of the whole run only: npm run test:all -- <names>';
    say(`No test was found.${where}`);
  }
  console.log(`${passed} passed, ${failed} failed`);
  return isComplete && failed === 0 && passed > 0 ? 0 : 1;
});
