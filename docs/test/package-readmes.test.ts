import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { migrate } from '@scriptorium/database/migrations';
import { openDatabase } from '@scriptorium/database/pool';
import { Secret } from '@scriptorium/shared/config';
import { testInWhole } from '@scriptorium/testing/extent';
import { createDatabase } from '@scriptorium/testing/postgres-server';
import {
  compilerErrors,
  exportedNames,
  PACKAGES,
  readPackageReadme,
  root,
  runExample,
  writeCompilerSettings,
} from '../package-readmes.ts';
import { lapsesIn } from '../prose.ts';

const LINES_MAX = 60;
const LINE_CHARS_MAX = 120;
const HEADINGS = ['## Entries', '## Example', '## What it does not do', '## Errors'];

let folder: string;
let databaseUrl: string;

beforeAll(async () => {
  // In the workspace, whose packages are then found by their names.
  folder = await mkdtemp(join(root, 'docs', '.examples-'));
  databaseUrl = await createDatabase(
    process.env.DATABASE_URL ?? '',
    `readmes_${randomBytes(6).toString('hex')}`,
  );
  const database = openDatabase(new Secret(databaseUrl));
  await migrate(database);
  await database.end();
});
afterAll(() => rm(folder, { recursive: true, force: true }));

describe.each(PACKAGES)('the README of packages/%s', (name) => {
  const readme = readPackageReadme(name);

  test('is short, has the same sections as the others, and plain sentences', () => {
    const lines = readme.text.trimEnd().split('\n');
    expect(lines[0]).toBe(`# @scriptorium/${name}`);
    expect(lines.length).toBeLessThanOrEqual(LINES_MAX);
    expect(lines.filter((line) => line.length > LINE_CHARS_MAX)).toEqual([]);
    expect(lines.filter((line) => line.startsWith('## '))).toEqual(HEADINGS);
    expect(lapsesIn(readme.text)).toEqual([]);
  });

  test('lists every entry of `exports`, with names that the entry has', () => {
    const listed = readme.rows.flatMap(({ entries }) => entries);
    const pattern = readme.exports.get('./*');
    if (pattern === undefined) expect(listed.toSorted()).toEqual([...readme.exports.keys()].sort());
    for (const { entries, names } of readme.rows) {
      const sources = entries.map(
        (entry) => readme.exports.get(entry) ?? `${pattern?.replace('*', entry.slice(2))}`,
      );
      expect(sources.filter((source) => !existsSync(source))).toEqual([]);
      const exported = new Set(sources.flatMap((source) => [...exportedNames(source)]));
      expect({ entries, missing: names.filter((named) => !exported.has(named)) }).toEqual({
        entries,
        missing: [],
      });
    }
  });

  testInWhole('has an example that prints what it says', async () => {
    const flags = ['--conditions=source'];
    expect(readme.prints.length).toBeGreaterThan(0);
    expect(await runExample(name, readme.example, { folder, flags, databaseUrl })).toEqual(readme.prints);
  });
});

testInWhole('the compiler accepts the examples of the packages', async () => {
  await writeCompilerSettings(folder, { customConditions: ['source'] });
  expect(await compilerErrors(folder)).toBe('');
});

test('every package that can be packed has a copy of the license', async () => {
  const license = await readFile(join(root, 'LICENSE'), 'utf8');
  for (const name of PACKAGES.filter((one) => one !== 'testing')) {
    const copy = await readFile(join(root, 'packages', name, 'LICENSE'), 'utf8').catch(() => '');
    expect({ name, isSame: copy === license }).toEqual({ name, isSame: true });
  }
});
