import { expect, test } from '@jest/globals';
import { testInWhole } from '@scriptorium/testing/extent';
import { wordType } from '@scriptorium/testing/fixtures/hostile/document';
import { noisePng } from '@scriptorium/testing/fixtures/picture';
import { bare, p, run, templateOf, wordPart } from '@scriptorium/testing/fixtures/word-markup';
import { newFaultsOf } from '@scriptorium/testing/ooxml-validator/validate';
import { fillPictures, imagesOf, sizesIn } from './pictures.ts';

const image = noisePng(400);
const picture = { id: 'x', type: 'image', image } as const;

testInWhole('an image replaces each of its placeholders between the surrounding text', async () => {
  const source = templateOf(p(bare('before {x} behind', '<w:b/>')) + p(bare('{x}')));
  const { bytes, xml, report } = await fillPictures(source, [picture]);
  expect(report.filled).toBe(2);
  expect(xml()).toContain(`<w:p>${run('before ', '<w:b/>')}<w:r><w:drawing>`);
  expect(xml()).toContain(`</w:drawing></w:r>${run(' behind', '<w:b/>')}</w:p>`);
  expect(sizesIn(xml())).toHaveLength(2);
  expect(await imagesOf(bytes)).toMatchObject([{ contentType: 'image/png', bytes: image }]);
  expect(await newFaultsOf(source, bytes)).toEqual([]);
});

test('an image fits into the cell that contains its placeholder', async () => {
  const cell = `<w:tc><w:tcPr><w:tcW w:w="2230" w:type="dxa"/></w:tcPr>${p(bare('{x}'))}</w:tc>`;
  const table = `<w:tbl><w:tblPr/><w:tblGrid><w:gridCol w:w="2230"/></w:tblGrid><w:tr>${cell}</w:tr></w:tbl>`;
  const { xml } = await fillPictures(templateOf(table + p('')), [picture]);
  const [[width = 0] = []] = sizesIn(xml());
  expect(width).toBeGreaterThan(100);
  // 2,230 twentieths of a point minus the margins of a cell are 133 pixels.
  expect(width).toBeLessThan(134);
});

test('a signature in a header has its image in the header part', async () => {
  const source = templateOf(p(''), {
    links: [{ id: 'rId9', kind: 'header', target: 'story.xml' }],
    parts: [{ name: 'word/story.xml', data: wordPart('hdr', p(bare('{x}'))), type: wordType('header') }],
  });
  const { bytes } = await fillPictures(source, [
    { id: 'x', type: 'signature', image, options: { arcElement: {}, bottomLabel: { text: 'Ada' } } },
  ]);
  expect(
    (await imagesOf(bytes)).every(({ sources }) => sources.every((name) => name === 'word/story.xml')),
  ).toBe(true);
  expect(await newFaultsOf(source, bytes)).toEqual([]);
});
