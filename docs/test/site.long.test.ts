import { execFile } from 'node:child_process';
import { existsSync, statSync } from 'node:fs';
import { glob, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, test } from '@jest/globals';

const run = promisify(execFile);
const folder = fileURLToPath(new URL('../../pages/docs/', import.meta.url));

/** The links of a built page to this site that lead to no page and no file. */
async function deadLinks(dist: string, page: string): Promise<string[]> {
  const html = await readFile(join(dist, page), 'utf8');
  const links = [...html.matchAll(/<a[^>]*\shref="(?![a-z]+:|#|\/\/)([^"#?]+)/g)].map(
    ([, href = '']) => href,
  );
  const isThere = (href: string): boolean => {
    const file = join(dist, decodeURIComponent(new URL(href, `http://site/${page}`).pathname));
    return [file, `${file}.html`, join(file, 'index.html')].some(
      (one) => existsSync(one) && statSync(one).isFile(),
    );
  };
  return links.filter((href) => !isThere(href)).map((href) => `${page}: ${href}`);
}

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
  for await (const page of glob('**/*.html', { cwd: dist })) expect(await deadLinks(dist, page)).toEqual([]);
  const guide = await readFile(join(dist, 'docs/guides/template-languages.html'), 'utf8');
  expect(guide).toContain('{{');
  expect(guide).toMatch(/<span[^>]*>Scriptorium<\/span>/);
  expect(guide).not.toMatch(/\{\{ (site|title|translate)/);
  const all = await readFile(join(dist, 'llms-full.txt'), 'utf8');
  for (const word of ['Idempotency', 'landscape', 'watermark', 'webhook'])
    expect(all.toLowerCase()).toContain(word.toLowerCase());
  const errors = await readFile(join(dist, 'docs/reference/errors.html'), 'utf8');
  expect(errors).toContain('DOCUMENT_ENCRYPTED');
});
