import { existsSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { pathToFileURL } from 'node:url';
import { root } from './progress.mjs';

/** The last run: a line of JSON for each file of tests. */
export const RESULTS = join(root, 'node_modules', '.cache', 'test-results.jsonl');

/** Results of a run, in the order of their ends. A last line without an end is left out. */
export function readResults(file = RESULTS) {
  if (!existsSync(file)) return [];
  return readFileSync(file, 'utf8')
    .split('\n')
    .slice(0, -1)
    .map((line) => JSON.parse(line));
}

const ROWS_MAX = 25;
const table = (title, rows) => {
  console.log(`\n${title}`);
  for (const [name, ms] of rows.toSorted((a, b) => b[1] - a[1]).slice(0, ROWS_MAX))
    console.log(`${(ms / 1000).toFixed(1).padStart(8)} s  ${name}`);
};

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  const files = readResults().filter(({ path }) => path !== undefined);
  const named = files.map((file) => ({ ...file, name: relative(root, file.path) }));
  const units = new Map();
  for (const { name, ms } of named) {
    const [unit] = /^[^/]+\/[^/]+/.exec(name.replace(/\/(?:test|src)\/.*/, ''));
    units.set(unit, (units.get(unit) ?? 0) + ms);
  }
  const total = named.reduce((sum, { ms }) => sum + ms, 0);
  table(`Units, of ${(total / 1000).toFixed(0)} s in all`, [...units]);
  table(
    'Files',
    named.map(({ name, ms }) => [name, ms]),
  );
  table(
    'Tests',
    named.flatMap(({ name, tests }) => tests.map(([test, ms]) => [`${name}: ${test}`, ms])),
  );
}
