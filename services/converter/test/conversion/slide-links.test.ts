import { execFileSync } from 'node:child_process';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { conversion, convertOptions } from '@scriptorium/contracts/jobs/convert';
import {
  Costs,
  countPages,
  Dict,
  findPage,
  openPdf,
  PdfString,
  readBox,
  Stream,
} from '@scriptorium/pdf/read';
import { prepare } from '@scriptorium/sanitizer/sanitize';
import { presentationWith, slideTable } from '@scriptorium/testing/fixtures/presentation';
import { wholeConversions } from '../rigs/whole-conversions.ts';

const conversions = wholeConversions();
beforeAll(conversions.start);
afterAll(conversions.close);

const OWN_COLOR =
  '<a:extLst><a:ext uri="{A12FA001-AC4F-418D-AE19-62706E023703}"><ahyp:hlinkClr xmlns:ahyp="http://schemas.microsoft.com/office/drawing/2018/hyperlinkcolor" val="tx"/></a:ext></a:extLst>';
const TEXT = 'Quarterly Environmental Sustainability Reporting Requirements';
const run = (text: string, properties = '') =>
  `<a:r><a:rPr sz="1600">${properties}</a:rPr><a:t>${text}</a:t></a:r>`;
const link = (id: string, before = '', inside = '') =>
  run(TEXT, `${before}<a:hlinkClick r:id="${id}">${inside}</a:hlinkClick>`);
/** A box of 3,000,000 units, at this place. */
const box = (x: number, y: number, content: string, turned = '') =>
  `<p:sp><p:nvSpPr><p:cNvPr id="2" name="s"/><p:cNvSpPr txBox="1"/><p:nvPr/></p:nvSpPr><p:spPr><a:xfrm ${turned}><a:off x="${x}" y="${y}"/>` +
  `<a:ext cx="3000000" cy="1200000"/></a:xfrm><a:prstGeom prst="rect"><a:avLst/></a:prstGeom></p:spPr><p:txBody><a:bodyPr wrap="square"/>` +
  `<a:p>${run('Please read the ')}${content}${run(' before the talk.')}</a:p></p:txBody></p:sp>`;
const to = (id: string, target: string) => ({ id, kind: 'hyperlink', target, isExternal: true });

interface Shown {
  lines: string[];
  /** The words of each link, by its address. */
  links: Record<string, string>;
  colors: string[];
  conversions: number;
}

async function shown(
  presentation: Parameters<typeof presentationWith>[0],
  query: object = {},
): Promise<Shown> {
  const document = presentationWith(presentation);
  const { bytes, preparations } = await conversions.convert(document, { from: 'pptx', ...query });
  return {
    lines: execFileSync('pdftotext', ['-', '-'], { input: bytes, encoding: 'utf8' }).trim().split('\n'),
    ...linksOf(bytes),
    conversions: preparations,
  };
}

function linksOf(bytes: Buffer): Pick<Shown, 'links' | 'colors'> {
  const html = execFileSync('pdftotext', ['-bbox', '-', '-'], { input: bytes, encoding: 'utf8' });
  const [height = 0] = (/height="([\d.]+)"/.exec(html) ?? []).slice(1).map(Number);
  const words = Array.from(
    html.matchAll(/<word xMin="([\d.]+)" yMin="([\d.]+)" xMax="([\d.]+)" yMax="([\d.]+)">(.*?)</g),
    (word) => {
      const [left = 0, top = 0, right = 0, bottom = 0] = word.slice(1, 5).map(Number);
      return { x: (left + right) / 2, y: height - (top + bottom) / 2, text: word[5] };
    },
  );
  const { document } = openPdf(bytes);
  const links: Record<string, string> = {};
  const numbers = Array.from({ length: countPages(document) }, (_, at) => at + 1);
  const pages = numbers.flatMap((number) => findPage(document, number)?.object.value ?? []);
  const addressOf = (annotation: Dict): string | undefined => {
    const address = document.dict(annotation, 'A')?.get('URI');
    const target = document.get(annotation, 'Dest');
    if (Array.isArray(target))
      return `page ${1 + pages.findIndex((page) => page === document.resolve(target[0] ?? null))}`;
    return address instanceof PdfString ? address.text : undefined;
  };
  const colors = new Set<string>();
  for (const page of pages) {
    const content = document.get(page, 'Contents');
    if (content instanceof Stream)
      for (const [color] of document
        .unpacked(content, new Costs())
        .toString('latin1')
        .matchAll(/[\d.]+ [\d.]+ [\d.]+ rg/g))
        colors.add(color);
    const list = document.get(page, 'Annots');
    for (const item of Array.isArray(list) ? list : []) {
      const annotation = document.resolve(item);
      const address = annotation instanceof Dict ? addressOf(annotation) : undefined;
      const [left = 0, bottom = 0, right = 0, top = 0] =
        readBox(annotation instanceof Dict ? document.get(annotation, 'Rect') : null, document) ?? [];
      if (address === undefined) continue;
      const inside = words
        .filter(({ x, y }) => x > left && x < right && y > bottom && y < top)
        .map((word) => word.text);
      links[address] = [...(links[address] === undefined ? [] : [links[address]]), ...inside].join(' ');
    }
  }
  return { links, colors: [...colors] };
}

/** The theme is black and white. */
const GRAY = /^([01]) \1 \1 rg$/;
const LINES = [
  'Please read the Quarterly',
  'Environmental Sustainability',
  'Reporting Requirements',
  'before the talk.',
];

test('the lines of a link end between words, as those of the text without a link', async () => {
  const slide = {
    shapes: box(400_000, 400_000, link('a')) + box(4_500_000, 400_000, run(TEXT)),
    links: [to('a', 'https://example.com/a')],
  };
  const { lines, links, conversions, colors } = await shown({ slides: [slide] });
  expect(lines.filter((line) => line !== '')).toEqual([...LINES, ...LINES]);
  expect(links).toEqual({ 'https://example.com/a': TEXT });
  expect([conversions, colors.filter((color) => !GRAY.test(color))]).toEqual([1, []]);
});

test('links are where their texts are: turned, in tables, in their own color, on many slides, of a range of pages', async () => {
  const links = ['a', 'b', 'c'].map((id) => to(id, `https://example.com/${id}?q=ü`));
  const slides = [
    {
      shapes:
        box(400_000, 400_000, link('a', '', OWN_COLOR), 'rot="5400000"') +
        slideTable(`<a:p>${link('b')}</a:p>`, 4_000_000),
      links,
    },
    {
      shapes: box(400_000, 400_000, link('c', '<a:solidFill><a:srgbClr val="FF0000"/></a:solidFill>')),
      links,
    },
    { shapes: box(400_000, 400_000, link('a')), links, isHidden: true },
  ];
  const address = (id: string) => `https://example.com/${id}?q=%C3%BC`;
  const all = await shown({ slides });
  expect(Object.keys(all.links).sort()).toEqual(['a', 'b', 'c'].map(address));
  expect([all.links[address('b')], all.conversions]).toEqual([TEXT, 1]);
  expect(all.colors.filter((color) => !GRAY.test(color))).toEqual([]);
  const second = await shown({ slides }, { pages: '2' });
  expect([second.links, second.conversions]).toEqual([{ [address('c')]: TEXT }, 1]);
});

test.each([
  [
    'translucent text',
    {
      shapes: box(
        400_000,
        400_000,
        link(
          'a',
          '<a:solidFill><a:srgbClr val="FF0000"><a:alpha val="40000"/></a:srgbClr></a:solidFill>',
          OWN_COLOR,
        ),
      ),
    },
    1,
  ],
  ['a text that is not on the slide', { shapes: box(40_000_000, 400_000, link('a')) }, 2],
])('%s keeps its link as LibreOffice writes it', async (_what, slide, conversions) => {
  const made = await shown({ slides: [{ ...slide, links: [to('a', 'https://example.com/a')] }] });
  expect(made.conversions).toBe(conversions);
  expect(made.colors.filter((color) => !GRAY.test(color))).toEqual(
    made.colors.filter((color) => color === '1 0 0 rg'),
  );
});

test('the lines of a jump to a slide end between words, and it leads to the page of the slide', async () => {
  const jump = (id: string) =>
    link(id).replace('<a:hlinkClick ', '<a:hlinkClick action="ppaction://hlinksldjump" ');
  const slides = [
    {
      shapes: box(400_000, 400_000, jump('third')) + box(4_500_000, 400_000, jump('hidden')),
      links: [
        { id: 'third', kind: 'slide', target: 'slide3.xml' },
        { id: 'hidden', kind: 'slide', target: 'slide2.xml' },
      ],
    },
    { shapes: box(400_000, 400_000, run('Hidden')), isHidden: true },
    { shapes: box(400_000, 4_400_000, run('Here')) },
  ];
  const { lines, links, colors } = await shown({ slides });
  expect(lines.filter((line) => line !== '').slice(0, 8)).toEqual([...LINES, ...LINES]);
  expect([links, colors.filter((color) => !GRAY.test(color))]).toEqual([{ 'page 2': TEXT }, []]);
  expect((await shown({ slides }, { pages: '1' })).links).toEqual({});
});

test('an image shows a link as its text, without marks', async () => {
  const slide = { shapes: box(400_000, 400_000, link('a')), links: [to('a', 'https://example.com/a')] };
  const options = conversion.parse(convertOptions.parse({ from: 'pptx', to: 'png' }));
  const { facts } = await prepare(presentationWith({ slides: [slide] }), options);
  expect(facts.textLinks).toBeUndefined();
});
