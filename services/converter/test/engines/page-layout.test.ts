import { execFileSync } from 'node:child_process';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { LibreOfficeKitEngine } from '../../src/engines/kit/libreofficekit.ts';
import { docxOf, NAMESPACES } from '../rigs/documents.ts';

/*
 * What ECMA-376-1 says about the layout of pages, each feature in a document of its own. The page is A4 with margins of an inch;
 * numbers are points from its upper left corner.
 */

const engine = new LibreOfficeKitEngine({ zygotes: 1 });
beforeAll(() => engine.start());
afterAll(() => engine.close());

interface Word {
  page: number;
  x: number;
  y: number;
  right: number;
}

/** The words of a document by their text; a word that comes again has a count: `Head#2`. */
async function layoutOf(
  body: string,
  { section = '', parts = [] as Parameters<typeof docxOf>[1], margins = MARGINS } = {},
): Promise<{ at: (word: string) => Word; pages: number; text: string[] }> {
  const document = docxOf(body, parts, section + margins);
  const run = { timeoutMs: 150_000, signal: new AbortController().signal };
  const { bytes } = await engine.convert(document, { from: 'docx', to: 'pdf' }, run);
  const html = execFileSync('pdftotext', ['-bbox', '-', '-'], { input: bytes, encoding: 'utf8' });
  const words = new Map<string, Word>();
  const text: string[] = [];
  const pages = html.split('<page ').slice(1);
  for (const [index, page] of pages.entries()) {
    const found = [...page.matchAll(/xMin="([\d.]+)" yMin="([\d.]+)" xMax="([\d.]+)"[^>]*>([^<]*)</g)];
    text.push(found.map((match) => match[4]).join(' '));
    for (const [, x, y, right, word = ''] of found) {
      let name = word;
      for (let count = 2; words.has(name); count++) name = `${word}#${count}`;
      words.set(name, { page: index + 1, x: Number(x), y: Number(y), right: Number(right) });
    }
  }
  const at = (word: string) => {
    const found = words.get(word);
    if (!found) throw new Error(`${word} is not among ${[...words.keys()].slice(0, 50).join(' ')}`);
    return found;
  };
  return { at, pages: pages.length, text };
}

const MARGINS =
  '<w:pgMar w:top="1440" w:right="1440" w:bottom="1440" w:left="1440" w:header="720" w:footer="720" w:gutter="0"/>';
const RIGHT = 595.3 - 72;
const words = (text: string) => `<w:r><w:t xml:space="preserve">${text}</w:t></w:r>`;
const paragraph = (content: string, properties = '') =>
  `<w:p><w:pPr>${properties}</w:pPr>${content.startsWith('<') ? content : words(content)}</w:p>`;
const TAB = '<w:r><w:tab/></w:r>';
const BREAK = (type: string) => `<w:r><w:br w:type="${type}"/></w:r>`;
/** A line that is exactly 20 points high: a page has 34 of them. */
const EXACT = '<w:spacing w:before="0" w:after="0" w:line="400" w:lineRule="exact"/>';
const LINES_OF_PAGE = 34;
const lines = (count: number) =>
  Array.from({ length: count }, (_, at) => paragraph(`L${at}`, EXACT)).join('');
const threeLines = (properties: string) =>
  paragraph(`${words('One')}<w:r><w:br/><w:t>Two</w:t><w:br/><w:t>Three</w:t></w:r>`, properties + EXACT);
const part = (kind: string, content: string, name = `${kind}1.xml`) => ({
  name,
  kind,
  data: content.replace('>', ` ${NAMESPACES}>`),
});
const header = (name: string, content: string) =>
  part('header', `<w:hdr><w:p>${content}</w:p></w:hdr>`, `${name}.xml`);
const settings = (content: string) => part('settings', `<w:settings>${content}</w:settings>`, 'settings.xml');
const PAGE = '<w:fldSimple w:instr=" PAGE "><w:r><w:t>0</w:t></w:r></w:fldSimple>';
const sectionEnd = (content: string) =>
  `<w:p><w:pPr><w:sectPr>${content}<w:pgSz w:w="11906" w:h="16838"/>${MARGINS}</w:sectPr></w:pPr></w:p>`;
const cell = (text: string, properties = '') =>
  `<w:tc><w:tcPr><w:tcW w:w="3000" w:type="dxa"/>${properties}</w:tcPr>${text.startsWith('<') ? text : paragraph(text, EXACT)}</w:tc>`;
const row = (cells: string, properties = '') => `<w:tr><w:trPr>${properties}</w:trPr>${cells}</w:tr>`;
const table = (rows: string, properties = '', columns = 1) =>
  `<w:tbl><w:tblPr>${properties}<w:tblW w:w="${3000 * columns}" w:type="dxa"/><w:tblLayout w:type="fixed"/></w:tblPr><w:tblGrid>${'<w:gridCol w:w="3000"/>'.repeat(columns)}</w:tblGrid>${rows}</w:tbl>`;

test('§17.6.11: text begins at the margins, and the gutter adds to the left one', async () => {
  const own =
    '<w:pgMar w:top="2880" w:right="1440" w:bottom="1440" w:left="720" w:header="720" w:footer="720" w:gutter="360"/>';
  const { at } = await layoutOf(paragraph('First'), { margins: own });
  expect(at('First').x).toBeCloseTo(54, 0);
  expect(at('First').y).toBeGreaterThan(143);
  expect(at('First').y).toBeLessThan(150);
});

test('§17.15.1.57: mirrored margins change sides on even pages', async () => {
  const own =
    '<w:pgMar w:top="1440" w:right="720" w:bottom="1440" w:left="2880" w:header="720" w:footer="720" w:gutter="0"/>';
  const body = paragraph('First') + paragraph('Second', '<w:pageBreakBefore/>');
  const { at } = await layoutOf(body, { margins: own, parts: [settings('<w:mirrorMargins/>')] });
  expect(at('First').x).toBeCloseTo(144, 0);
  expect(at('Second')).toMatchObject({ page: 2, x: expect.closeTo(36, 0) });
});

test('§17.6.4: columns of equal and of own widths', async () => {
  const body = paragraph(words('First') + BREAK('column') + words('Second'));
  const equal = await layoutOf(body, { section: '<w:cols w:num="2" w:space="720"/>' });
  expect(equal.at('Second').x).toBeCloseTo(72 + (RIGHT - 72 - 36) / 2 + 36, 0);
  expect(equal.at('Second').y).toBeCloseTo(equal.at('First').y, 0);
  const own =
    '<w:cols w:num="2" w:equalWidth="0"><w:col w:w="2000" w:space="400"/><w:col w:w="6626"/></w:cols>';
  expect((await layoutOf(body, { section: own })).at('Second').x).toBeCloseTo(72 + 120, 0);
});

test('§17.6.22: a continuous section stays on its page, another one begins a page', async () => {
  const body = paragraph('First') + sectionEnd('') + paragraph('Second');
  const continuous = await layoutOf(body, { section: '<w:type w:val="continuous"/>' });
  expect(continuous.at('Second').page).toBe(1);
  expect((await layoutOf(body, { section: '<w:type w:val="nextPage"/>' })).at('Second').page).toBe(2);
});

test('§17.6.22: a section for odd pages skips the number of an even page', async () => {
  const head = header('header1', words('Page ') + PAGE);
  const reference = '<w:headerReference w:type="default" r:id="rId2"/>';
  const body = paragraph('First') + sectionEnd(reference) + paragraph('Second');
  const { text } = await layoutOf(body, { section: `${reference}<w:type w:val="oddPage"/>`, parts: [head] });
  expect(text.filter((page) => page !== '')).toEqual(['Page 1 First', 'Page 3 Second']);
});

test('§17.10.6 and §17.10.1: first, even and odd pages have headers of their own', async () => {
  const kinds = ['first', 'default', 'even'];
  const references = kinds
    .map((kind, at) => `<w:headerReference w:type="${kind}" r:id="rId${at + 2}"/>`)
    .join('');
  const parts = [...kinds.map((kind) => header(kind, words(`H${kind}`))), settings('<w:evenAndOddHeaders/>')];
  const body = ['A', 'B', 'C'].map((text) => paragraph(text, '<w:pageBreakBefore/>')).join('');
  const { text } = await layoutOf(body, { section: `${references}<w:titlePg/>`, parts });
  expect(text.filter((page) => /[ABC]/.test(page))).toEqual(['Hfirst A', 'Heven B', 'Hdefault C']);
});

test('§17.6.12: page numbers start where the section says, in its format', async () => {
  const section = '<w:pgNumType w:fmt="lowerRoman" w:start="5"/>';
  const { text } = await layoutOf(paragraph(words('Page ') + PAGE), { section });
  expect(text).toEqual(['Page v']);
});

test('§17.6.13: a landscape page is wide', async () => {
  const own = `<w:p><w:pPr><w:sectPr><w:pgSz w:w="16838" w:h="11906" w:orient="landscape"/>${MARGINS}</w:sectPr></w:pPr></w:p>`;
  const { at } = await layoutOf(paragraph('Right', '<w:jc w:val="right"/>') + own + paragraph('Tall'));
  expect(at('Right').right).toBeCloseTo(841.9 - 72, 0);
});

test('§17.3.1.15: a paragraph stays with the next one', async () => {
  const body = (keep: string) =>
    lines(LINES_OF_PAGE - 1) + paragraph('Head', keep + EXACT) + paragraph('Text', EXACT);
  const kept = await layoutOf(body('<w:keepNext/>'));
  expect([kept.at('Head').page, kept.at('Text').page]).toEqual([2, 2]);
  expect((await layoutOf(body(''))).at('Head').page).toBe(1);
});

test('§17.3.1.14 and §17.3.1.44: lines stay together, and no line stays alone', async () => {
  const two = (properties: string) => layoutOf(lines(LINES_OF_PAGE - 2) + threeLines(properties));
  const one = (properties: string) => layoutOf(lines(LINES_OF_PAGE - 1) + threeLines(properties));
  const alone = '<w:widowControl w:val="0"/>';
  expect((await two(`<w:keepLines/>${alone}`)).at('One').page).toBe(2);
  expect((await two(alone)).at('Two').page).toBe(1);
  expect((await one('<w:widowControl/>')).at('One').page).toBe(2);
  expect((await one(alone)).at('One').page).toBe(1);
});

test('§17.3.1.23: a paragraph begins a page', async () => {
  const { at } = await layoutOf(paragraph('First') + paragraph('Second', '<w:pageBreakBefore/>'));
  expect(at('Second').page).toBe(2);
});

test('§17.3.1.12: indents of the paragraph and of its first line', async () => {
  const body = (own: string) => paragraph(`${words('One')}<w:r><w:br/><w:t>Two</w:t></w:r>`, own);
  const first = await layoutOf(body('<w:ind w:left="720" w:firstLine="360"/>'));
  expect([first.at('One').x, first.at('Two').x]).toEqual([expect.closeTo(126, 0), expect.closeTo(108, 0)]);
  const hanging = await layoutOf(body('<w:ind w:left="720" w:hanging="360"/>'));
  expect([hanging.at('One').x, hanging.at('Two').x]).toEqual([expect.closeTo(90, 0), expect.closeTo(108, 0)]);
});

test('§17.3.1.37: text is aligned at tab stops', async () => {
  const tabs = ['center', 'right', 'decimal'].map(
    (kind, at) => `<w:tab w:val="${kind}" w:pos="${2000 * (at + 1)}"/>`,
  );
  const own = `<w:tabs>${tabs.join('')}</w:tabs>`;
  const { at } = await layoutOf(
    paragraph([words('A'), words('Mid'), words('End'), words('12,5')].join(TAB), own),
  );
  expect((at('Mid').x + at('Mid').right) / 2).toBeCloseTo(172, 0);
  expect(at('End').right).toBeCloseTo(272, 0);
});

test('§17.3.1.33 and §17.3.1.9: lines have their exact height, and paragraphs of one style no space', async () => {
  const spaced = '<w:spacing w:before="0" w:after="400" w:line="400" w:lineRule="exact"/>';
  const body = (own: string) => paragraph('One', own + spaced) + paragraph('Two', own + spaced);
  const distance = async (own: string) => {
    const { at } = await layoutOf(body(own));
    return at('Two').y - at('One').y;
  };
  expect(await distance('')).toBeCloseTo(40, 0);
  expect(await distance('<w:contextualSpacing/>')).toBeCloseTo(20, 0);
});

/** A square of 100 points, 200 points from the left margin. */
const square = (wrap: string) =>
  '<w:r><w:pict xmlns:v="urn:schemas-microsoft-com:vml" xmlns:w10="urn:schemas-microsoft-com:office:word">' +
  '<v:rect style="position:absolute;margin-left:200pt;margin-top:0;width:100pt;height:100pt">' +
  `<w10:wrap type="${wrap}"/></v:rect></w:pict></w:r>`;

test.each([
  ['square', 0],
  ['none', 1],
])('§20.4.2.16: text of a header runs around a shape as in the body: %s', async (wrap, across) => {
  const text = Array.from({ length: 30 }, (_, at) => `w${at}`).join(' ');
  const head = header('header1', square(wrap) + words(text));
  const reference = '<w:headerReference w:type="default" r:id="rId2"/>';
  const { at } = await layoutOf(paragraph('Body'), { section: reference, parts: [head] });
  const isAcross = Array.from({ length: 30 }, (_, index) => at(`w${index}`)).some(
    ({ x, right }) => right > 72 + 200 && x < 72 + 300,
  );
  expect(isAcross).toBe(across === 1);
});

test('§17.4.78: a header row comes again on each page', async () => {
  const rows =
    row(cell('Head'), '<w:tblHeader/>') + Array.from({ length: 40 }, (_, at) => row(cell(`R${at}`))).join('');
  const { at, text } = await layoutOf(table(rows));
  expect(text.map((page) => page.split(' ')[0])).toEqual(['Head', 'Head']);
  expect(at('R39').page).toBe(2);
});

test('§17.4.6: a row that cannot split goes to the next page as a whole', async () => {
  const body = (own: string) =>
    lines(LINES_OF_PAGE - 2) + table(row(cell(threeLines('<w:widowControl w:val="0"/>')), own));
  expect((await layoutOf(body('<w:cantSplit/>'))).at('One').page).toBe(2);
  expect((await layoutOf(body(''))).at('One').page).toBe(1);
});

test('§17.4.17 and §17.4.84: cells span columns and rows', async () => {
  const rows =
    row(cell('Wide', '<w:gridSpan w:val="2"/>') + cell('Third')) +
    row(cell('Tall', '<w:vMerge w:val="restart"/><w:vAlign w:val="bottom"/>') + cell('b2') + cell('c2')) +
    row(cell(paragraph('', EXACT), '<w:vMerge/>') + cell('b3') + cell('c3'));
  const { at } = await layoutOf(table(rows, '', 3));
  expect(at('Third').x).toBeCloseTo(at('c2').x, 0);
  expect(at('Tall').y).toBeCloseTo(at('b3').y, 0);
});

test('§17.4.28: a table is centered between the margins', async () => {
  const { at } = await layoutOf(table(row(cell('Cell')), '<w:jc w:val="center"/>'));
  expect(Math.abs(at('Cell').x - ((72 + RIGHT) / 2 - 75))).toBeLessThan(7);
});

test('§17.6.8: lines have numbers in the margin', async () => {
  const body = paragraph('First') + paragraph('Second');
  const { at } = await layoutOf(body, {
    section: '<w:lnNumType w:countBy="1" w:restart="newPage"/>',
  });
  expect(at('2').right).toBeLessThan(72);
  expect(at('2').y).toBeCloseTo(at('Second').y, 0);
});

test('§17.11.10: a footnote is at the foot of the page of its reference', async () => {
  const note = (id: number, content: string, type = '') =>
    `<w:footnote ${type} w:id="${id}">${content}</w:footnote>`;
  const mark = '<w:r><w:rPr><w:vertAlign w:val="superscript"/></w:rPr><w:footnoteRef/></w:r>';
  const notes =
    note(-1, '<w:p><w:r><w:separator/></w:r></w:p>', 'w:type="separator"') +
    note(0, '<w:p><w:r><w:continuationSeparator/></w:r></w:p>', 'w:type="continuationSeparator"') +
    note(1, `<w:p>${mark}${words('Note')}</w:p>`);
  const body =
    paragraph(`${words('Text')}<w:r><w:footnoteReference w:id="1"/></w:r>`) +
    paragraph('Next', '<w:pageBreakBefore/>');
  const { text, at } = await layoutOf(body, {
    parts: [part('footnotes', `<w:footnotes>${notes}</w:footnotes>`, 'footnotes.xml')],
  });
  expect(text[0]).toMatch(/^Text ?1.*Note$/);
  expect([...(text[0] ?? '')].length).toBeGreaterThan(5);
  expect(at('Next').page).toBe(2);
});

test('§17.3.1.6: a paragraph from right to left begins at the right', async () => {
  const { at } = await layoutOf(paragraph('Word', '<w:bidi/>'));
  expect(at('Word').right).toBeCloseTo(RIGHT, 0);
});
