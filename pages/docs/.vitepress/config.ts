import { copyFileSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { defineConfig } from 'vitepress';
import { readContents, siteFile } from './contents.ts';

const root = resolve(import.meta.dirname, '../../..');
const contents = readContents(root);
const linkOf = (path: string): string => `/${siteFile(path).replace(/(index)?\.md$/, '')}`;

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
  // The documents also link to sources, folders and a running service, which are not pages.
  ignoreDeadLinks: [
    /\.(ts|json|ya?ml|txt|py|sh|docx)$/,
    /(LICENSE|NOTICE|examples|grafana)$/,
    /127\.0\.0\.1/,
  ],
  markdown: {
    html: false,
    // With the contrast of WCAG 2.2, 1.4.3.
    theme: { light: 'github-light-high-contrast', dark: 'github-dark-high-contrast' },
    config(markdown) {
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
    writeFileSync(join(outDir, 'llms.txt'), llmsText());
  },
});

/** The list of pages for language models (https://llmstxt.org): each is there as Markdown. */
function llmsText(): string {
  const [, about = ''] = /^# .*\n\n([\s\S]*?)\n\n/.exec(readFileSync(join(root, 'README.md'), 'utf8')) ?? [];
  const sections = contents.map(({ title, pages }) =>
    [`## ${title}`, '', ...pages.map((page) => `- [${page.title}](/${siteFile(page.path)})`)].join('\n'),
  );
  return [`# Scriptorium`, `> ${about.replaceAll('\n', ' ')}`, ...sections, ''].join('\n\n');
}
