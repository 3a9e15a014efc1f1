import { expect, test } from '@jest/globals';
import { documentOf } from '@scriptorium/testing/fixtures/hostile/document';
import { partsOf, prepare } from '../sources/sanitizer-under-test.ts';

/** The signs of a run with this text, by font and code; undefined if its text stays. */
async function signsOf(fonts: string, text: string, more = ''): Promise<string[] | undefined> {
  const body = `<w:p><w:pPr><w:rPr><w:rFonts w:hAnsi="Wingdings"/></w:rPr></w:pPr><w:r><w:rPr><w:rFonts ${fonts}/>${more}</w:rPr><w:t>${text}</w:t></w:r></w:p>`;
  const parts = await partsOf((await prepare('docx', documentOf({ body }))).bytes);
  const xml = parts['word/document.xml'] ?? '';
  if (xml.includes('<w:t>')) return undefined;
  return [...xml.matchAll(/<w:sym [^>]*w:font="([^"]*)" w:char="([^"]*)"/g)].map(
    ([, font, code]) => `${font} ${code}`,
  );
}

test('a text in a font of symbols becomes its signs', async () => {
  expect(await signsOf('w:ascii="Wingdings" w:hAnsi="Wingdings"', 'l\uf0fe')).toEqual([
    'Wingdings F06C',
    'Wingdings F0FE',
  ]);
  expect(await signsOf('w:hAnsi="symbol"', 'a')).toEqual(['symbol F061']);
});

test.each([
  ['in another font', 'w:hAnsi="Arial"', 'abc'],
  ['that has letters of other scripts', 'w:hAnsi="Symbol"', 'aя'],
  [
    'that had a font of symbols before a tracked change',
    'w:hAnsi="Arial"',
    'abc',
    '<w:rPrChange w:id="1"><w:rPr><w:rFonts w:hAnsi="Symbol"/></w:rPr></w:rPrChange>',
  ],
  ['that is long', 'w:hAnsi="Symbol"', 'a'.repeat(1_001)],
])('a text %s stays', async (_what, fonts, text, more = '') => {
  expect(await signsOf(fonts, text, more)).toBeUndefined();
});
