import { spawnSync } from 'node:child_process';
import { appendFileSync, readFileSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { parseSync } from '@swc/core';
import { reachedFrom } from './needs.mjs';
import { root } from './progress.mjs';

/**
 * Plants faults in the sources, one at a time, and says which tests find them: those of `npm test`, only those of
 * `npm run test:all`, or none. It changes files, so run it in a copy of the repository that `npm test` has built:
 *
 *     node deploy/local/planted-faults.mjs [number of faults] [seed]
 *
 * Each line of `planted-faults.jsonl` is one fault. A fault that no test finds may be none: some changes have no effect.
 */

const [count = '60', seed = '1'] = process.argv.slice(2);
const RESULTS = 'planted-faults.jsonl';
const RUN_MS_MAX = 15 * 60_000;
/** A fault is mostly found by the first tests, so not all of them are started at once. */
const FILES_A_RUN = 12;
const JEST = [
  ...['--conditions=source', '--disable-warning=ExperimentalWarning'],
  join(root, 'node_modules/jest/bin/jest.js'),
];
const SWAPS = {
  '===': '!==',
  '!==': '===',
  '<': '<=',
  '<=': '<',
  '>': '>=',
  '>=': '>',
  '&&': '||',
  '||': '&&',
  '??': '&&',
  '+': '-',
  '-': '+',
};

/** The places of a file where a fault can be planted: byte ranges and what to write there. */
function placesIn(source) {
  // The span of a module starts with its first token.
  const head = '0;';
  const module = parseSync(head + source, { syntax: 'typescript', target: 'es2024' });
  const base = module.span.start + head.length;
  const bytes = Buffer.from(source);
  const textOf = ({ start, end }) => bytes.subarray(start - base, end - base).toString();
  const places = [];
  const add = (kind, { start, end }, text) =>
    places.push({ kind, start: start - base, end: end - base, text });
  const rules = {
    IfStatement: ({ test }) => add('a condition is turned', test.span, `!(${textOf(test.span)})`),
    ThrowStatement: ({ span }) => add('an error is not thrown', span, ';'),
    BinaryExpression: ({ span, left, operator, right }) =>
      SWAPS[operator] &&
      add('an operator is another', span, `(${textOf(left.span)} ${SWAPS[operator]} ${textOf(right.span)})`),
    ExpressionStatement: ({ span, expression }) =>
      /Call|Await|Assignment/.test(expression.type) && add('a statement is left out', span, ';'),
  };
  const visit = (node) => {
    if (typeof node !== 'object' || node === null) return;
    if (node.type?.startsWith('Ts') || node.type === 'ImportDeclaration') return;
    if (node !== module && node.type !== undefined) rules[node.type]?.(node);
    for (const part of Object.values(node)) visit(part);
  };
  for (const item of module.body.slice(1)) visit(item);
  return places;
}

/** Random numbers of a seed: the same faults in each run. Source: Marsaglia, "Xorshift RNGs", 2003. */
function randomOf(state) {
  return (below) => {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    return (state >>> 0) % below;
  };
}

const unitOf = (path) => path.split('/', path.startsWith('shared/') ? 1 : 2).join('/');

/** Spreads the faults over the units, each in a file and at a place that the seed chooses. */
function plan() {
  const listed = spawnSync('git', ['ls-files', 'shared', 'packages', 'services'], { cwd: root });
  const files = listed.stdout
    .toString()
    .split('\n')
    .filter((path) => /\/src\/.*\.ts$/.test(path) && !path.startsWith('packages/testing/'));
  const units = [...new Set(files.map(unitOf))];
  const random = randomOf(Number(seed) * 2_654_435_761);
  return Array.from({ length: Number(count) }, (_, at) => {
    const own = files.filter((path) => unitOf(path) === units[at % units.length]);
    for (;;) {
      const path = own[random(own.length)];
      const places = placesIn(readFileSync(join(root, path), 'utf8'));
      if (places.length > 0) return { path, ...places[random(places.length)] };
    }
  });
}

/** Runs Jest, and returns whether a test failed. A run over the limit counts as one. */
function fails(args, extent) {
  const { status } = spawnSync(process.execPath, [...JEST, '--bail=1', '--maxWorkers=2', ...args], {
    cwd: root,
    env: { ...process.env, NODE_OPTIONS: '', NODE_ENV: 'test', TEST_EXTENT: extent },
    stdio: 'ignore',
    timeout: RUN_MS_MAX,
  });
  return status !== 0;
}

const tests = spawnSync(process.execPath, [...JEST, '--listTests'], { cwd: root, encoding: 'utf8' })
  .stdout.split('\n')
  .filter((line) => line.endsWith('.test.ts'))
  .map((file) => ({ file: relative(root, file), reached: reachedFrom(file) }));

/**
 * Returns the tests that reach a file, or all of its unit if none does: threads are started by their names. Tests that
 * reach little come first, since they ask the most of it.
 */
function relatedTo(path) {
  const direct = tests.filter(({ reached }) => reached.has(join(root, path)));
  const related = direct.length > 0 ? direct : tests.filter(({ file }) => unitOf(file) === unitOf(path));
  return related
    .filter(({ file }) => !file.includes('.nightly.test.ts'))
    .sort((a, b) => a.reached.size - b.reached.size)
    .map(({ file }) => file);
}

/** Returns 'core', 'whole' or 'none', and the number of test files that were asked. */
function foundBy({ path }) {
  const related = relatedTo(path);
  const own = related.filter((file) => unitOf(file) === unitOf(path));
  const others = related.filter((file) => unitOf(file) !== unitOf(path) && !file.startsWith('e2e/'));
  const served = ['e2e/documents.test.ts', 'e2e/signatures.test.ts'];
  const isCore = (file) => !file.includes('.long.test.ts');
  const attempts = [
    ...[own, others].map((files) => ({ files: files.filter(isCore), extent: 'core' })),
    { files: served, extent: 'core', isBuilt: true },
    ...[own, others].map((files) => ({ files, extent: 'whole' })),
  ];
  for (const { files, extent, isBuilt } of attempts) {
    if (files.length === 0) continue;
    if (isBuilt) spawnSync('npm', ['run', '-s', 'build'], { cwd: root, stdio: 'ignore' });
    for (let at = 0; at < files.length; at += FILES_A_RUN) {
      if (fails(['--runTestsByPath', ...files.slice(at, at + FILES_A_RUN)], extent))
        return { extent, files: related.length };
    }
  }
  return { extent: 'none', files: related.length };
}

const found = { core: 0, whole: 0, none: 0 };
for (const { path, kind, start, end, text } of plan()) {
  const file = join(root, path);
  const source = readFileSync(file);
  const line = source.subarray(0, start).toString().split('\n').length;
  writeFileSync(file, Buffer.concat([source.subarray(0, start), Buffer.from(text), source.subarray(end)]));
  try {
    const startedAt = Date.now();
    const { extent, files } = foundBy({ path });
    found[extent]++;
    const fault = { place: `${path}:${line}`, kind, is: text, was: source.subarray(start, end).toString() };
    appendFileSync(
      join(root, RESULTS),
      `${JSON.stringify({ extent, ...fault, files, seconds: (Date.now() - startedAt) / 1000 })}\n`,
    );
    console.log(extent, fault.place, kind);
  } finally {
    writeFileSync(file, source);
  }
}
console.log(`npm test finds ${found.core} of the ${found.core + found.whole} that npm run test:all finds.`);
