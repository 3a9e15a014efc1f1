import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from '@jest/globals';
import { commentsIn, lapsesIn, textsIn } from '../prose.ts';

const root = fileURLToPath(new URL('../../', import.meta.url));
const LINE_CHARS_MAX = 120;
const NOT_OURS = /^(node_modules|dist|coverage|\..*)$/;

/** Pages that programs write, or whose wording is that of tests. */
const NOT_PROSE =
  /^(CHANGELOG\.md|docs\/(operations\/sizing|security\/attacks|reference\/.*)\.md|deploy\/.*|bench\/.*|clients\/.*|packages\/.*)$/;

/** Sources by the ends of their names, but those that programs write. */
const SOURCE = /(?<!\.gen)\.([cm]?[jt]sx?|c|cpp|h|java|py|sh|ya?ml|hcl|tpl|css)$|^Dockerfile$/;

/** The files below a folder whose names match. */
function filesIn(folder: string, name: RegExp): string[] {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    if (NOT_OURS.test(entry.name)) return [];
    const path = join(folder, entry.name);
    if (entry.isDirectory()) return filesIn(path, name);
    return name.test(entry.name) ? [relative(root, path)] : [];
  });
}

/** In code, a path from the root, without a pattern in it. */
const PROJECT_PATH = /`((?:packages|services|shared|clients|deploy|bench|e2e|docs)\/[\w./-]{2,})`/g;

const documents = filesIn(root, /\.md$/).sort();
const read = (path: string): string => readFileSync(join(root, path), 'utf8');

/** The lines outside of fenced code, with their numbers. */
function textLines(markdown: string): { number: number; text: string }[] {
  let isCode = false;
  return markdown.split('\n').flatMap((text, index) => {
    if (/^\s*(```|~~~)/.test(text)) {
      isCode = !isCode;
      return [];
    }
    return isCode ? [] : [{ number: index + 1, text }];
  });
}

/** The anchors that GitHub gives to the headings of a page. */
function anchorsOf(markdown: string): Set<string> {
  const anchors = new Set<string>();
  for (const { text } of textLines(markdown)) {
    const heading = /^#{1,6} (.*)$/.exec(text)?.[1];
    if (heading === undefined) continue;
    const name = heading
      .replace(/\[([^\]]*)\]\([^)]*\)/g, '$1')
      .toLowerCase()
      .replace(/[^\p{L}\p{N}\p{M} _-]/gu, '')
      .replaceAll(' ', '-');
    let anchor = name;
    for (let count = 1; anchors.has(anchor); count++) anchor = `${name}-${count}`;
    anchors.add(anchor);
  }
  return anchors;
}

/** The targets of links and images, but not those in code. */
function linksOf(markdown: string): string[] {
  const text = textLines(markdown)
    .map((line) => line.text.replace(/`[^`]*`/g, ''))
    .join('\n');
  return [...text.matchAll(/\]\(<?([^)\s>]+)>?[^)]*\)/g)].map(([, target = '']) => target);
}

/** What is wrong with a link of a page; undefined where it leads somewhere. */
function faultOf(page: string, link: string): string | undefined {
  const [target = '', anchor] = link.split('#');
  const path = target === '' ? page : relative(root, join(root, dirname(page), decodeURI(target)));
  if (!existsSync(join(root, path))) return `${link}: there is no ${path}`;
  if (anchor === undefined || !path.endsWith('.md')) return undefined;
  return anchorsOf(read(path)).has(anchor) ? undefined : `${link}: ${path} has no heading #${anchor}`;
}

test('the documents are found', () => {
  expect(documents).toEqual(
    expect.arrayContaining(['README.md', 'docs/README.md', 'docs/architecture/queue.md', 'bench/README.md']),
  );
});

const sources = filesIn(root, SOURCE);

test('comments of the sources have sentences of one idea, in plain words', () => {
  expect(sources.length).toBeGreaterThan(2_000);
  expect(
    sources.flatMap((path) => lapsesIn(commentsIn(read(path))).map((lapse) => ({ path, ...lapse }))),
  ).toEqual([]);
});

test('messages and descriptions in the sources have sentences of one idea, in plain words', () => {
  // A released migration must not change.
  const product = sources.filter((path) => /\/src\/.*(?<!migrations)\.tsx?$/.test(path));
  const texts = product.flatMap((path) => textsIn(read(path)).map((text) => ({ path, text })));
  expect(texts.length).toBeGreaterThan(1_000);
  expect(texts.flatMap(({ path, text }) => lapsesIn(text).map((lapse) => ({ path, ...lapse })))).toEqual([]);
});

test('texts are joined literals and templates for people, without SQL', () => {
  const source = "a('Of ' + 'a list'); b(`It\\n has two items`); c('One', 'SELECT of all'); d('of x')";
  expect(textsIn(source)).toEqual(['Of a list', 'It  has two items']);
});

test('comments are read in blocks, behind code and at the start of lines, without examples and tables', () => {
  const source = [
    '/** Of a block. */',
    "const url = 'https://example.org/'; // Of a line.",
    '/**',
    ' * Words of a sentence',
    ' * are told.',
    ' *     Of a command.',
    ' * Of a table   Of its cell.',
    ' * @example',
    ' * Of an example.',
    ' */',
    '  # Of a script.',
  ];
  expect(lapsesIn(commentsIn(source.join('\n'))).map(({ line }) => line)).toEqual([1, 2, 4, 11]);
});

test('every page of docs is in its index', () => {
  const linked = [
    ...linksOf(read('docs/README.md')),
    ...linksOf(read('docs/adr/README.md')).map((link) => `adr/${link}`),
  ];
  const pages = documents.filter((path) => path.startsWith('docs/') && path !== 'docs/README.md');
  expect(pages.filter((path) => !linked.includes(path.slice('docs/'.length)))).toEqual([]);
});

describe.each(documents)('%s', (page) => {
  const markdown = read(page);

  test('has links that lead to files and headings which exist', () => {
    const links = linksOf(markdown).filter((link) => !/^[a-z][a-z0-9+.-]*:/i.test(link));
    expect(links.flatMap((link) => faultOf(page, link) ?? [])).toEqual([]);
  });

  test(`has lines of at most ${LINE_CHARS_MAX} characters, but for tables, code and links`, () => {
    const long = textLines(markdown)
      .filter(
        ({ text }) => !text.startsWith('|') && text.replace(/\]\([^)]*\)/g, ']').length > LINE_CHARS_MAX,
      )
      .map(({ number, text }) => `${number}: ${text.length} characters`);
    expect(long).toEqual([]);
  });

  test('names folders and files of the project that exist', () => {
    const paths = [...markdown.matchAll(PROJECT_PATH)].map(([, path = '']) => path);
    expect(paths.filter((path) => !existsSync(join(root, path)))).toEqual([]);
  });

  if (!NOT_PROSE.test(page))
    test('has sentences of one idea, in plain words', () => {
      expect(lapsesIn(markdown)).toEqual([]);
    });
});
