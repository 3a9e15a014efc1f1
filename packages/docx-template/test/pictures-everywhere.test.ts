import { describe, expect, test } from '@jest/globals';
import { IMAGES } from '@scriptorium/testing/fixtures/images';
import { jpegImage } from '@scriptorium/testing/fixtures/jpeg';
import { TEMPLATES } from '@scriptorium/testing/fixtures/templates/all';
import { p, run, sdt, templateOf } from '@scriptorium/testing/fixtures/word-markup';
import { idsOf } from '../src/template/field-index.ts';
import { openTemplate } from '../src/template/template.ts';
import { fillPictures, type PictureField, sizesIn } from './pictures.ts';

const FRAMED = { arcElement: {}, topLabel: {}, bottomLabel: {} };
const PHOTO = jpegImage(16, 8, () => [255, 0, 0], 6);

describe('a document stays valid with images and signatures in all of its controls', () => {
  test.each(Object.entries(TEMPLATES))('%s', async (_name, make) => {
    const source = make();
    const { controls } = await openTemplate(source);
    const ids = new Set(controls.flatMap((control) => idsOf(control).slice(0, 1)));
    for (const image of [IMAGES.SVG(30, 20), PHOTO]) {
      const fields = [...ids].map((id, index): PictureField => {
        return index % 2 === 0
          ? { id, type: 'image', image }
          : { id, type: 'signature', image, options: FRAMED };
      });
      const { report } = await fillPictures(source, fields);
      expect(report.unmatched.count).toBe(0);
    }
  });
});

describe('a placeholder', () => {
  const cell = (content: string) =>
    `<w:tc><w:tcPr><w:tcW w:w="3230" w:type="dxa"/></w:tcPr>${content}</w:tc>`;
  const table = `<w:tbl><w:tblPr/><w:tblGrid/><w:tr>${cell(p(run('{x}')))}</w:tr></w:tbl>${p('')}`;

  test('is replaced by an image of the available width', async () => {
    const image = IMAGES.PNG(400, 100);
    const { xml } = await fillPictures(templateOf(p(run('Logo: {x}!')) + table), [
      { id: 'x', type: 'image', image },
    ]);
    expect(sizesIn(xml())).toEqual([
      [400, 100],
      [200, 50],
    ]);
    expect(xml()).toMatch(/Logo: <\/w:t>.*<w:drawing>.*!<\/w:t>/s);
  });

  test('is replaced by a signature', async () => {
    const image = IMAGES.PNG(100, 40);
    const { xml } = await fillPictures(templateOf(p(run('{x}'))), [
      { id: 'x', type: 'signature', image, options: FRAMED },
    ]);
    expect(xml()).toContain('<wpg:wgp');
    expect(xml()).not.toContain('{x}');
  });

  test('in a plain text control changes it to one that may contain drawings', async () => {
    const source = templateOf(p(sdt({ tag: 'other', properties: '<w:text/>' }, run('{x}'))));
    const { xml } = await fillPictures(source, [{ id: 'x', type: 'image', image: IMAGES.PNG(9, 9) }]);
    expect(xml()).toContain('<w:drawing>');
    expect(xml()).not.toContain('<w:text/>');
  });
});
