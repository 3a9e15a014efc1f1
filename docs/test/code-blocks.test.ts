import { execFile } from 'node:child_process';
import { existsSync, globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { describe, expect, test } from '@jest/globals';
import { type Block, blocksOf, documentsToCopyFrom } from '@scriptorium/e2e/readme';
import { parse } from 'yaml';

const run = promisify(execFile);
const root = fileURLToPath(new URL('../../', import.meta.url));
const { scripts } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as {
  scripts: Record<string, string>;
};

/** Documents whose blocks other suites run: the guides, the packages, and the client for editors with its example. */
const RUN_ELSEWHERE = [
  ...(await documentsToCopyFrom()),
  'clients/python/README.md',
  ...globSync('packages/*/README.md', { cwd: root }),
  'clients/telemetry/README.md',
];

/** Programs of commands that no test runs as they stand, and why. To name another one here is the exception. */
const NOT_RUN: Record<string, string> = {
  docker: 'There may be no container engine: `npm run images:try` runs the product in one',
  helm: 'There is no cluster: deploy/helm/test renders each of these commands',
  kubectl: 'There is no cluster: deploy/helm/test looks for the objects that they name',
  'examples/k8s-kind/up.sh': 'There is no cluster: deploy/helm/test runs it with stand-ins',
  'examples/k8s-kind/trip.sh': 'e2e/clients/examples.suite.ts runs it',
  'deploy/docker/make-job-secrets.sh': 'deploy/docker/test runs it',
  'deploy/docker/replace.sh': '`npm run images:try` runs it',
  npm: 'Starts, builds, tests or measures the product: its scripts exist, and CI runs them',
  npx: 'Measures for minutes: bench/test runs the parts',
  node: 'Writes a document that docs:check compares',
  make: 'The build of the converter runs it',
  pip: 'Fetches nothing in tests: the suites use the sources',
  python3: 'e2e/clients/examples.suite.ts runs it',
  java: 'e2e/clients/examples.suite.ts runs it',
  pg_dump: 'The database of an operator',
  pg_restore: 'The database of an operator',
  curl: 'The internal port of a pod, or a server of the reader',
  ...Object.fromEntries(
    [
      ...[
        'mkdir',
        'cp',
        'mv',
        'rm',
        'ln',
        'cd',
        'cat',
        'chown',
        'chmod',
        'umask',
        'printf',
        'echo',
        'export',
      ],
      ...['tee', 'zcat', 'grep', 'sort', 'sed', 'awk', 'openssl', 'git'],
    ].map((name) => [name, 'Handles files of an operator']),
  ),
};

/** The programs that commands start: the first word of each, after its variables. */
function programsOf(commands: string): string[] {
  return commands
    .replace(/\\\n\s*/g, ' ')
    .replace(/'[^']*'/g, "''")
    .split(/\n|&&|\|\|?|;|&|\$\(|\(|\bdo\b/)
    .map((command) => command.trim().replace(/^(\w+=\S*\s*)+/, ''))
    .filter((command) => command !== '' && !/^(for|done|#|\)|"|--)/.test(command))
    .map((command) => command.split(/\s/)[0] ?? '');
}

/** Paths of the project that commands name. */
const pathsIn = (commands: string): string[] =>
  [...commands.matchAll(/(?:^|[\s=])((?:deploy|docs|examples|bench|services|packages|clients)\/[\w./-]+)/gm)]
    .map(([, path = '']) => path)
    .filter((path) => !/^deploy\/docs-scriptorium/.test(path));

const CHECKS: Record<string, (text: string, document: string) => Promise<void> | void> = {
  mermaid: (text) => expect(text).toMatch(/^(flowchart|sequenceDiagram|stateDiagram)/),
  json: (text) => void JSON.parse(text),
  // A drawing.
  text: (text) => expect(text).not.toBe(''),
  yaml: (text) => void parse(text),
  dockerfile: (text) => expect(text).toMatch(/^FROM /),
  async sh(text) {
    await run('bash', ['-n', '-c', text]);
    expect(programsOf(text).filter((program) => !(program in NOT_RUN))).toEqual([]);
    expect(pathsIn(text).filter((path) => !existsSync(join(root, path)))).toEqual([]);
    const called = [...text.matchAll(/npm run ([\w:]+)/g)].map(([, name = '']) => name);
    expect(called.filter((name) => scripts[name] === undefined)).toEqual([]);
  },
};

const documents = globSync('**/*.md', {
  cwd: root,
  exclude: (name) => /(^|\/)(node_modules|dist|\.\w+)$/.test(String(name)),
});
const others = documents.filter((name) => !RUN_ELSEWHERE.includes(name)).sort();
const blocks = await Promise.all(
  others.map(async (document) => (await blocksOf(document)).map((block) => ({ document, ...block }))),
);

test('every document with code is known', () => {
  expect(documents).toEqual(expect.arrayContaining([...RUN_ELSEWHERE, 'docs/operations/docker.md']));
});

describe('code that no test runs as it stands', () => {
  test.each(blocks.flat())('$document: a block of $language in "$section"', async (block) => {
    const { document, language, text }: Block & { document: string } = block;
    expect(Object.keys(CHECKS)).toContain(language);
    await CHECKS[language]?.(text, document);
  });
});
