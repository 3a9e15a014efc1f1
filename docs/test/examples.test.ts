import { globSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { afterAll, describe, expect, test } from '@jest/globals';

const root = fileURLToPath(new URL('../../', import.meta.url));
// Where the packages of the project are found by their names.
const folder = join(root, 'node_modules', '.cache', 'examples');
const sources = globSync(['{shared,packages/*,services/*,clients/*}/src/**/*.ts'], { cwd: root });

interface Example {
  source: string;
  /** The export that it stands over. */
  name: string;
  lines: string[];
}

/** The examples of a source: the lines behind `@example`, up to the end of the comment or the next tag. */
function examplesIn(source: string): Example[] {
  const text = readFileSync(join(root, source), 'utf8');
  const found = text.matchAll(/^ \* @example\n((?: \*(?!\/).*\n)+) \*\/\nexport (?:async )?\w+\*? (\w+)/gm);
  return [...found].map(([, block = '', name = '']) => {
    const lines = block.split('\n').map((line) => line.replace(/^ \* ?/, ''));
    return { source, name, lines: lines.filter((line) => line !== '') };
  });
}

/** A line `expression // result` becomes a comparison. Other lines run as they stand. */
function comparison(line: string): string {
  const [, expression, result] = /^(?!\s*\/\/)(.+?);? \/\/ (.+)$/.exec(line) ?? [];
  return expression === undefined ? line : `results.push([await (${expression}), ${result}]);`;
}

/** Runs an example with the exports of its source in reach. Returns each result with the one that is written. */
async function run({ source, name, lines }: Example): Promise<[unknown, unknown][]> {
  const imports = lines.filter((line) => line.startsWith('import '));
  const body = lines.filter((line) => !line.startsWith('import ')).map(comparison);
  const own = pathToFileURL(join(root, source)).href;
  const exported = Object.keys(await import(own)).filter((word) => body.join('\n').includes(word));
  const file = join(folder, `${name}.mjs`);
  const program = [
    ...imports,
    `import { ${exported.join(', ')} } from '${own}';`,
    'export const results = [];',
    ...body,
  ];
  mkdirSync(folder, { recursive: true });
  writeFileSync(file, program.join('\n'));
  const { results } = (await import(pathToFileURL(file).href)) as { results: [unknown, unknown][] };
  return results;
}

describe('examples in the sources', () => {
  const examples = sources.flatMap(examplesIn);
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  test('stand over the exports that people start with', () => {
    const tags = sources.flatMap(
      (source) => readFileSync(join(root, source), 'utf8').match(/^ \* @example$/gm) ?? [],
    );
    expect(examples.length).toBeGreaterThanOrEqual(30);
    expect(examples).toHaveLength(tags.length);
  });

  test.each(examples)('$name', async (example) => {
    const results = await run(example);
    expect(results.length).toBeGreaterThan(0);
    for (const [result, written] of results) expect(result).toEqual(written);
  });
});
