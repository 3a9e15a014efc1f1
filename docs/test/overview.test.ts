import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, test } from '@jest/globals';
import { ACCESS } from '@scriptorium/contracts/access';
import { MAIL_QUEUE } from '@scriptorium/gateway/mail/mail-worker';

const root = fileURLToPath(new URL('../../', import.meta.url));
const overview = readFileSync(`${root}docs/architecture/overview.md`, 'utf8');

/** The words in code of a text. */
const codeIn = (text: string): string[] => [...text.matchAll(/`([^`]+)`/g)].map(([, word = '']) => word);

interface Manifest {
  dependencies?: Record<string, string>;
  devDependencies?: Record<string, string>;
}

/** The packages of ours in a list of dependencies. */
const ours = (list: Record<string, string> = {}): string[] =>
  Object.keys(list).flatMap((name) => /^@scriptorium\/(.+)/.exec(name)?.slice(1) ?? []);

test('the table of packages has each package, and what its manifest permits it to import', () => {
  const [, table = ''] = /\| package \| content \| may import \|\n.*\n((?:\|.*\n)+)/.exec(overview) ?? [];
  const rows = table
    .trim()
    .split('\n')
    .map((line) => line.split('|'));
  const listed = new Map(rows.map(([, name = '', , imports = '']) => [codeIn(name)[0], codeIn(imports)]));
  expect([...listed.keys()].sort()).toEqual(readdirSync(`${root}packages`).sort());
  for (const [name, imports] of listed) {
    const manifest = JSON.parse(readFileSync(`${root}packages/${name}/package.json`, 'utf8')) as Manifest;
    const needed = ours(manifest.dependencies);
    // Types alone may be those of a development dependency.
    const known = [...needed, ...ours(manifest.devDependencies)];
    expect({ name, missing: needed.filter((each) => !imports.includes(each)) }).toEqual({
      name,
      missing: [],
    });
    expect({ name, wrong: imports.filter((each) => !known.includes(each)) }).toEqual({ name, wrong: [] });
  }
});

test('the table of keys has the queue of each job', () => {
  const [, cell = ''] = /^\| (.*) \| Queues of BullMQ \|$/m.exec(overview) ?? [];
  expect(codeIn(cell).sort()).toEqual([...ACCESS.jobs.map(({ name }) => name), MAIL_QUEUE].sort());
});
