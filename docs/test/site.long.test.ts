import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, test } from '@jest/globals';

const run = promisify(execFile);
const folder = fileURLToPath(new URL('../../pages/docs/', import.meta.url));

test('the site is built without a dead link, and has each page of the index as HTML and as Markdown', async () => {
  const vitepress = fileURLToPath(new URL('../../node_modules/vitepress/bin/vitepress.js', import.meta.url));
  await run(process.execPath, [vitepress, 'build'], { cwd: folder });
  const dist = join(folder, 'dist');
  const list = await readFile(join(dist, 'llms.txt'), 'utf8');
  const pages = [...list.matchAll(/\]\(\/([^)]+)\.md\)/g)].map(([, page = '']) => page);
  expect(pages.length).toBeGreaterThan(30);
  for (const page of pages) {
    const found = ['.md', '.html'].map((ending) => existsSync(join(dist, `${page}${ending}`)));
    expect({ page, found }).toEqual({ page, found: [true, true] });
  }
  const guide = await readFile(join(dist, 'docs/guides/template-languages.html'), 'utf8');
  expect(guide).toContain('{{');
  expect(guide).toMatch(/<span[^>]*>Scriptorium<\/span>/);
  expect(guide).not.toMatch(/\{\{ (site|title|translate)/);
  const errors = await readFile(join(dist, 'docs/reference/errors.html'), 'utf8');
  expect(errors).toContain('DOCUMENT_ENCRYPTED');
});
