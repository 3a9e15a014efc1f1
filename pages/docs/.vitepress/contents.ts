import { readFileSync } from 'node:fs';

/** A section of the index of documents, with its pages: paths from the root of the checkout. */
export interface Section {
  title: string;
  pages: { title: string; path: string }[];
}

const LINK = /\[([^\]]+)\]\(([^)\s#]+\.md)\)/g;

/** Reads the sections of `docs/README.md`: the only list of pages. */
export function readContents(root: string): Section[] {
  const text = readFileSync(`${root}/docs/README.md`, 'utf8');
  return text
    .split(/^## /m)
    .slice(1)
    .map((section) => {
      const [title = '', ...lines] = section.split('\n');
      const pages = [...lines.join('\n').matchAll(LINK)].map(([, name = '', path = '']) => ({
        // A link in a sentence may begin with a small letter.
        title: name.charAt(0).toUpperCase() + name.slice(1),
        path: new URL(path, 'file:///docs/').pathname.slice(1),
      }));
      return { title, pages };
    });
}

/** The file of a page on the site. */
export const siteFile = (path: string): string => path.replace(/(^|\/)README\.md$/, '$1index.md');
