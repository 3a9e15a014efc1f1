import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, test } from '@jest/globals';

const page = fileURLToPath(new URL('../operations/faults.md', import.meta.url));
const ROW = /^\| (F\d+) \|.*\]\(([^)]+)\): “(.+)” \|$/;

test('every fault names a test that exists', () => {
  const rows = readFileSync(page, 'utf8')
    .split('\n')
    .filter((line) => /^\| F\d/.test(line));
  const shown = rows.map((row) => {
    const [, id, file = '', name = ''] = ROW.exec(row) ?? [];
    return { id, hasTest: readFileSync(new URL(file, `file://${page}`), 'utf8').includes(`'${name}'`) };
  });
  expect(shown).toEqual(Array.from({ length: 31 }, (_, index) => ({ id: `F${index + 1}`, hasTest: true })));
});
