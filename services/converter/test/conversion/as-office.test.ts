import { execFileSync } from 'node:child_process';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { conversion, convertOptions } from '@scriptorium/contracts/jobs/convert';
import { metricCopies } from '@scriptorium/fonts/metric-copies';
import { prepare } from '@scriptorium/sanitizer/sanitize';
import { presentationWith, slideTable, textShape } from '@scriptorium/testing/fixtures/presentation';
import { engineRequest } from '../../src/conversion/convert.ts';
import { isAsWide } from '../../src/conversion/fonts.ts';
import type { MissingFont } from '../../src/engines/engine.ts';
import { SourceRouter } from '../../src/engines/kit/source-router.ts';
import { docxOf, NAMESPACES } from '../rigs/documents.ts';
import { fontsOf } from '../rigs/pdf-text.ts';

/* What the programs of Microsoft Office show, where LibreOffice alone shows something else. */

const engine = new SourceRouter({ zygotes: 1 });
beforeAll(() => engine.start());
afterAll(() => engine.close());

interface Shown {
  /** The words of each page, by their lines. */
  pages: string[];
  documentPages: number;
  /** In points from the top and the left of the page. */
  lines: { top: number; left: number; right: number }[];
  replaced: MissingFont[];
  fonts: string[];
}

async function shown(document: Buffer, query: object = {}): Promise<Shown> {
  const options = conversion.parse(convertOptions.parse({ from: 'docx', ...query }));
  const prepared = await prepare(document, options);
  const run = { timeoutMs: 60_000, signal: new AbortController().signal };
  const {
    bytes,
    documentPages,
    missingFonts = [],
  } = await engine.convert(prepared.bytes, engineRequest(prepared, options), run);
  const text = execFileSync('pdftotext', ['-layout', '-', '-'], { input: bytes, encoding: 'utf8' });
  const pages = text.split('\f').slice(0, -1);
  return {
    pages: pages.map((page) => page.trim()),
    documentPages,
    lines: linesOf(bytes),
    replaced: missingFonts,
    fonts: fontsOf(bytes),
  };
}

function linesOf(pdf: Buffer): Shown['lines'] {
  const html = execFileSync('pdftotext', ['-bbox-layout', '-', '-'], { input: pdf, encoding: 'utf8' });
  const boxes = html.matchAll(/<line xMin="([\d.]+)" yMin="([\d.]+)" xMax="([\d.]+)"/g);
  return Array.from(boxes, ([, left, top, right]) => ({
    left: Number(left),
    top: Number(top),
    right: Number(right),
  }));
}

const paragraph = (text: string, properties = '') =>
  `<w:p><w:pPr>${properties}</w:pPr><w:r><w:t xml:space="preserve">${text}</w:t></w:r></w:p>`;

test('a section on an even page follows a blank page, which counts for ranges', async () => {
  const page = '<w:pgSz w:w="11906" w:h="16838"/>';
  const body =
    paragraph('one', '<w:pageBreakBefore/>') +
    paragraph('two', `<w:pageBreakBefore/><w:sectPr>${page}</w:sectPr>`);
  const document = docxOf(body + paragraph('four'), [], '<w:type w:val="evenPage"/>');
  expect(await shown(document)).toMatchObject({ pages: ['one', 'two', '', 'four'], documentPages: 4 });
  expect(await shown(document, { pages: '3-4' })).toMatchObject({ pages: ['', 'four'], documentPages: 4 });
});

test.each(metricCopies().filter(({ family }) => /(Cam|Geo|Cons)$/.test(family)))(
  '$family is as wide as $replaces.0, and as high',
  async (copy) => {
    const [font = ''] = copy.replaces;
    const text = 'Quick brown foxes, 1890–1920';
    const inFont = `<w:rPr><w:rFonts w:ascii="${font}" w:hAnsi="${font}"/><w:kern w:val="0"/><w:sz w:val="48"/></w:rPr>`;
    const line = `<w:p><w:r>${inFont}<w:t>${text}</w:t></w:r></w:p>`;
    const { lines, replaced, fonts } = await shown(docxOf(line.repeat(2)));
    const units = [...text].map((each) => copy.advance ?? copy.widths.regular.get(each) ?? 0);
    const width = (24 * units.reduce((sum, each) => sum + each, 0)) / 2048;
    // LibreOffice rounds each width down to 1/1000 of the size.
    expect(lines.map(({ left, right }) => Math.abs((right - left) / width - 1) < 0.002)).toEqual([
      true,
      true,
    ]);
    const height = (24 * ((copy.ascent ?? 0) + (copy.descent ?? 0))) / 2048;
    expect(Math.abs((lines[1]?.top ?? 0) - (lines[0]?.top ?? 0) - height)).toBeLessThan(0.1);
    expect(replaced).toEqual([{ asked: font, used: copy.family }]);
    expect(replaced.map(isAsWide)).toEqual([true]);
    expect(fonts).toEqual([`${copy.family.replaceAll(' ', '')}-Regular`]);
  },
);

test('words of a document with automatic hyphenation are divided', async () => {
  const settings = `<w:settings ${NAMESPACES}><w:autoHyphenation/></w:settings>`;
  const language = '<w:rPr><w:lang w:val="fr-FR"/></w:rPr>';
  const words = 'télécommunications gouvernementales '.repeat(9);
  const body = `<w:p><w:pPr><w:ind w:right="5500"/></w:pPr><w:r>${language}<w:t>${words}</w:t></w:r></w:p>`;
  const document = docxOf(body, [{ name: 'settings.xml', kind: 'settings', data: settings }]);
  expect((await shown(document)).pages[0]).toMatch(/-$/m);
});

test('Hangul of Malgun Gothic is as wide as the font is high, and spaces are those of the Latin font', async () => {
  const run = (text: string) =>
    `<w:r><w:rPr><w:rFonts w:ascii="Courier New" w:hAnsi="Courier New" w:eastAsia="맑은 고딕"/><w:sz w:val="40"/></w:rPr><w:t xml:space="preserve">${text}</w:t></w:r>`;
  const { lines } = await shown(docxOf(`<w:p>${run('가나다라마')}${run(' ')}${run('바')}</w:p>`));
  // A space of Courier New is 0.6 of the size.
  expect(lines.map(({ left, right }) => Math.round(right - left))).toEqual([6 * 20 + 12]);
});

test('Khmer and Myanmar are shaped by fonts that have them', async () => {
  const words = ['ភាសាខ្មែរ', 'ကျေးဇူး'].map((text) => paragraph(`x ${text}`)).join('');
  const { pages, fonts } = await shown(docxOf(words));
  expect(pages[0]).toContain('x ');
  expect(fonts.filter((name) => /Khmer|Myanmar/.test(name))).toHaveLength(2);
  expect(fonts.filter((name) => !/Khmer|Myanmar/.test(name))).toHaveLength(1);
});

test('a text box that does not wrap has one line, also if its stored size is narrow', async () => {
  const shapes = textShape('quarterly results').replace(/cx="6000000"/, 'cx="700000"');
  const unwrapped = shapes.replace('<a:bodyPr/>', '<a:bodyPr wrap="none"><a:spAutoFit/></a:bodyPr>');
  const { pages } = await shown(presentationWith({ slides: [{ shapes: unwrapped }] }), { from: 'pptx' });
  expect(pages).toEqual(['quarterly results']);
});

const slideText = (text: string, size: number, font = 'Calibri') =>
  textShape(text, '', `<a:latin typeface="${font}"/>`).replace('sz="2000"', `sz="${size}"`);
const widthOn = async (shapes: string): Promise<number> => {
  const { lines } = await shown(presentationWith({ slides: [{ shapes }] }), { from: 'pptx' });
  return (lines[0]?.right ?? 0) - (lines[0]?.left ?? 0);
};

test('the first line of a paragraph on a slide has its tab stops, also if its indent is written', async () => {
  const tabbed = (indent: string) =>
    `<a:p><a:pPr marL="0" ${indent}><a:buNone/><a:tabLst><a:tab pos="2540000" algn="l"/></a:tabLst></a:pPr><a:r><a:t>\tStop</a:t></a:r></a:p>`;
  const table = slideTable(tabbed('') + tabbed('indent="0"'));
  const { lines } = await shown(presentationWith({ slides: [{ shapes: table }] }), { from: 'pptx' });
  expect(lines.map(({ left }) => Math.round(left - (lines[0]?.left ?? 0)))).toEqual([0, 0]);
});

test('letters of less than 12 points on slides are not kerned, and larger ones are', async () => {
  const [small, large] = [
    await widthOn(slideText('AVAVAVAV', 1000)),
    await widthOn(slideText('AVAVAVAV', 2000)),
  ];
  expect(large / small).toBeLessThan(1.95);
});

test('letters of Calibri make no ligatures', async () => {
  const line = (text: string) =>
    docxOf(
      `<w:p><w:r><w:rPr><w:rFonts w:ascii="Calibri" w:hAnsi="Calibri"/></w:rPr><w:t>${text}</w:t></w:r></w:p>`,
    );
  const [whole, apart] = [
    await shown(line('tttttttt')),
    await shown(line('t\u200ct\u200ct\u200ct\u200ct\u200ct\u200ct\u200ct')),
  ];
  const width = ({ lines: [first] }: Shown) => (first?.right ?? 0) - (first?.left ?? 0);
  expect(Math.abs(width(whole) - width(apart))).toBeLessThan(0.05);
});

test.each(['Calibri', 'Calibri Light', 'Arial', 'Cambria'])(
  'lines of %s in tables are 1.2 times as high as the font',
  async (font) => {
    const lines = ['one', 'two', 'three'].map(
      (word) =>
        `<a:p><a:r><a:rPr sz="2400"><a:latin typeface="${font}"/></a:rPr><a:t>${word}</a:t></a:r></a:p>`,
    );
    const table = slideTable(lines.join(''));
    const { lines: seen } = await shown(presentationWith({ slides: [{ shapes: table }] }), { from: 'pptx' });
    const [, second, third] = seen.map(({ top }) => top);
    expect(Math.abs((third ?? 0) - (second ?? 0) - 28.8)).toBeLessThan(0.4);
  },
);
