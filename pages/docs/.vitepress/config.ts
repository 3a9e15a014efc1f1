import { copyFileSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { defineConfig } from 'vitepress';
import { readContents, siteFile } from './contents.ts';

const root = resolve(import.meta.dirname, '../../..');
const contents = readContents(root);
const linkOf = (path: string): string => `/${siteFile(path).replace(/(index)?\.md$/, '')}`;

/** Files and folders of the checkout to which pages link, other than pages. */
const linked = new Set<string>();

/** A link of a page to another file: to the page that it becomes, or to a copy of it. */
function siteLink(href: string, page: string): { href: string; isCopy: boolean } {
  const [path = '', anchor] = href.split('#');
  if (path === '' || /^(?:[a-z]+:|\/)/i.test(path)) return { href, isCopy: false };
  const end = anchor === undefined ? '' : `#${anchor}`;
  if (path.endsWith('.md')) return { href: siteFile(path) + end, isCopy: false };
  const file = resolve(dirname(page), path);
  linked.add(file);
  const isFolder = statSync(file).isDirectory();
  return { href: isFolder ? `${path.replace(/\/$/, '')}/index.html` : path, isCopy: true };
}

/** Copies what pages link to. A folder becomes the list of its files. */
function copyLinked(outDir: string): void {
  for (const file of linked) {
    const to = join(outDir, relative(root, file));
    mkdirSync(dirname(to), { recursive: true });
    if (statSync(file).isDirectory()) {
      mkdirSync(to, { recursive: true });
      const files = readdirSync(file, { withFileTypes: true }).filter((entry) => entry.isFile());
      for (const { name } of files) copyFileSync(join(file, name), join(to, name));
      const items = files.map(({ name }) => `<li><a href="${encodeURIComponent(name)}">${name}</a></li>`);
      writeFileSync(
        join(to, 'index.html'),
        `<!doctype html><meta charset="utf-8"><ul>${items.join('')}</ul>`,
      );
    } else copyFileSync(file, to);
  }
}

/** The documents as a site. `DOCS_BASE` is the path below which it is served. */
export default defineConfig({
  title: 'Scriptorium',
  description: 'Fill, convert, merge, sign and verify documents',
  lang: 'en',
  base: process.env.DOCS_BASE ?? '/',
  srcDir: root,
  srcExclude: ['**/node_modules/**', '**/dist/**', '**/test/**', 'pages/**', '.*/**'],
  outDir: './dist',
  cacheDir: './cache',
  rewrites: siteFile,
  // The documents also link to a running service.
  ignoreDeadLinks: [/127\.0\.0\.1/],
  markdown: {
    html: false,
    // With the contrast of WCAG 2.2, 1.4.3.
    theme: { light: 'github-light-high-contrast', dark: 'github-dark-high-contrast' },
    config(markdown) {
      markdown.core.ruler.push('links of the site', ({ tokens, env }) => {
        for (const token of tokens.flatMap(({ children }) => children ?? [])) {
          if (token.type !== 'link_open') continue;
          const { href, isCopy } = siteLink(token.attrGet('href') ?? '', env.realPath ?? env.path);
          token.attrSet('href', href);
          // VitePress takes links without a target for pages.
          if (isCopy) token.attrSet('target', '_self');
        }
      });
      // Marks of templates, such as {{name}}, are text, and not expressions of Vue.
      const { rules } = markdown.renderer;
      for (const name of ['text', 'code_inline'] as const) {
        const before = rules[name];
        if (before) rules[name] = (...token) => before(...token).replaceAll('{{', '&#123;&#123;');
      }
    },
  },
  themeConfig: {
    nav: [{ text: 'All documents', link: '/docs/' }],
    sidebar: contents.map(({ title, pages }) => ({
      text: title,
      collapsed: title !== 'Use',
      items: pages.map((page) => ({ text: page.title, link: linkOf(page.path) })),
    })),
    search: { provider: 'local' },
    outline: 'deep',
  },
  buildEnd({ outDir, pages }) {
    for (const page of pages) {
      const to = join(outDir, siteFile(page));
      mkdirSync(dirname(to), { recursive: true });
      copyFileSync(join(root, page), to);
    }
    copyLinked(outDir);
    writeFileSync(join(outDir, 'llms.txt'), llmsText());
    writeFileSync(join(outDir, 'llms-full.txt'), pages.map(withItsPath).join('\n\n'));
  },
});

/** A page as one of many, for language models that read all at once. */
const withItsPath = (page: string): string =>
  `<!-- ${siteFile(page)} -->\n\n${readFileSync(join(root, page), 'utf8')}`;

/** The list of pages for language models (https://llmstxt.org): each is there as Markdown. */
function llmsText(): string {
  const [, about = ''] = /^# .*\n\n([\s\S]*?)\n\n/.exec(readFileSync(join(root, 'README.md'), 'utf8')) ?? [];
  const sections = contents.map(({ title, pages }) =>
    [`## ${title}`, '', ...pages.map((page) => `- [${page.title}](/${siteFile(page.path)})`)].join('\n'),
  );
  return [`# Scriptorium`, `> ${about.replaceAll('\n', ' ')}`, ...sections, ''].join('\n\n');
}
