import { describe, expect, test } from '@jest/globals';
import { openPackage } from '@scriptorium/ooxml/package';
import { templateOf } from '@scriptorium/testing/fixtures/word-markup';
import { prepareDocx } from '../../src/sources/docx.ts';

const W = 'xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"';
const KHMER = `<w:rFonts ${W} w:cs="Noto Sans Khmer"/>`;
const run = (properties: string, text = 'ខ្មែរ') => `<w:r>${properties}<w:t>${text}</w:t></w:r>`;

async function mainOf(runs: string): Promise<string> {
  const options = { revisions: 'markup', updateFields: 'none' } as const;
  const { bytes } = await prepareDocx(templateOf(`<w:p>${runs}</w:p>`), options);
  return (await openPackage(bytes)).main.xml ?? '';
}

describe('a run in Khmer gets a font that has it', () => {
  test.each([
    ['without properties', '', `<w:rPr ${W}>${KHMER}</w:rPr>`],
    ['with empty properties', '<w:rPr/>', `<w:rPr ${W}>${KHMER}</w:rPr>`],
    ['with other properties', '<w:rPr><w:b/></w:rPr>', `<w:rPr>${KHMER}<w:b/></w:rPr>`],
    [
      'with a style',
      '<w:rPr><w:rStyle w:val="a"/><w:b/></w:rPr>',
      `<w:rPr><w:rStyle w:val="a"/>${KHMER}<w:b/></w:rPr>`,
    ],
    [
      'in a font that lacks it',
      '<w:rPr><w:rFonts w:ascii="A &amp; B" w:cs="Arial"/></w:rPr>',
      `<w:rPr>${KHMER.replace(' w:cs', ' w:ascii="A &amp; B" w:cs')}</w:rPr>`,
    ],
    ['in a font of the theme', '<w:rPr><w:rFonts w:cstheme="minorBidi"/></w:rPr>', `<w:rPr>${KHMER}</w:rPr>`],
  ])('%s', async (_name, before, after) => {
    expect(await mainOf(run(before))).toContain(run(after));
  });
});

test('a run in another font or script stays', async () => {
  const runs =
    run('<w:rPr><w:rFonts w:cs="Khmer OS"/></w:rPr>') +
    run('', 'Latin') +
    run('<w:rPr/>', 'ไทย') +
    run('', 'عربي');
  expect(await mainOf(runs)).toContain(runs);
});
