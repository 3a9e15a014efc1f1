import { expect, test } from '@jest/globals';
import { openPackage } from '@scriptorium/ooxml/package';
import { templateOf } from '@scriptorium/testing/fixtures/word-markup';
import { prepareDocx } from '../../src/sources/docx.ts';

const W = 'xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"';
const STYLES_TYPE = 'application/vnd.openxmlformats-officedocument.wordprocessingml.styles+xml';
const style = (type: string, id: string, content: string, more = '') =>
  `<w:style w:type="${type}" w:styleId="${id}"${more}>${content}</w:style>`;
const fonts = (attributes: string) => `<w:rPr><w:rFonts ${attributes}/></w:rPr>`;
const STYLES =
  `<w:docDefaults><w:rPrDefault>${fonts('w:asciiTheme="minorHAnsi" w:eastAsiaTheme="minorEastAsia"')}</w:rPrDefault></w:docDefaults>` +
  style('paragraph', 'a', '', ' w:default="1"') +
  style('paragraph', 'b', fonts('w:ascii="Century"')) +
  style('paragraph', 'c', '<w:basedOn w:val="b"/>') +
  style('character', 'd', fonts('w:ascii="Arial"'));

async function mainOf(runs: string, styles = STYLES): Promise<string> {
  const part = {
    name: 'word/styles.xml',
    data: `<w:styles ${W}>${styles}</w:styles>`,
    type: STYLES_TYPE,
  };
  const links = [{ id: 'rIdS', kind: 'styles', target: 'styles.xml' }];
  const options = { revisions: 'markup', updateFields: 'none' } as const;
  const { bytes } = await prepareDocx(templateOf(runs, { parts: [part], links }), options);
  return (await openPackage(bytes)).main.xml ?? '';
}

const run = (properties: string, text = ' ') =>
  `<w:r>${properties}<w:t xml:space="preserve">${text}</w:t></w:r>`;
const paragraph = (content: string, properties = '') =>
  `<w:p>${properties}${run('', '번역본과')}${content}</w:p>`;
const named = (attributes: string) => `<w:rFonts ${W} ${attributes}/>`;

test.each([
  ['its own', '', fonts('w:ascii="Arial" w:eastAsia="Batang"'), 'w:ascii="Arial" w:eastAsia="Arial"'],
  [
    'its own of the theme',
    '',
    fonts('w:asciiTheme="majorHAnsi" w:eastAsiaTheme="majorEastAsia"'),
    'w:asciiTheme="majorHAnsi" w:eastAsiaTheme="majorHAnsi"',
  ],
  ['of its style', '<w:pPr><w:pStyle w:val="b"/></w:pPr>', '<w:rPr><w:rStyle w:val="d"/></w:rPr>', 'Arial'],
  ['that the style of its paragraph is based on', '<w:pPr><w:pStyle w:val="c"/></w:pPr>', '', 'Century'],
  ['of the document', '', '<w:rPr><w:b/></w:rPr>', 'w:eastAsiaTheme="minorHAnsi"'],
])('a space behind East Asian text has the Latin font of its run: %s', async (_of, own, properties, font) => {
  const expected = font.includes('=') ? font : `w:eastAsia="${font}"`;
  expect(await mainOf(paragraph(run(properties), own))).toContain(named(expected));
});

test('runs in an East Asian script, of Latin text only, and of a font that a style of tables may name stay', async () => {
  const kept = paragraph(run('', ' 과') + run('', 'Word '));
  expect(await mainOf(kept)).toContain(kept);
  const latin = `<w:p>${run('')}</w:p>`;
  expect(await mainOf(latin)).toContain(latin);
  const ofTable = STYLES + style('table', 'e', fonts('w:ascii="Arial"'));
  expect(await mainOf(paragraph(run('')), ofTable)).toContain(paragraph(run('')));
});
