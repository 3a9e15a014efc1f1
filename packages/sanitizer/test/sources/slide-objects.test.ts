import { expect, test } from '@jest/globals';
import { Budget } from '@scriptorium/ooxml/bounds';
import { readArchive, unpackEntry } from '@scriptorium/ooxml/zip';
import { pngImage } from '@scriptorium/testing/fixtures/hostile/image-files';
import { presentationWith, slideWithDrawing } from '@scriptorium/testing/fixtures/presentation';
import { SOURCE_SANITIZERS } from '../../src/sources/sanitizers.ts';

test('objects with the same picture in a drawing share one relationship', async () => {
  const image = { id: 'rId3', kind: 'image', target: '../media/image1.png' };
  const { slide, parts } = slideWithDrawing('o:relid="rId3"', [image]);
  const slides = [{ ...slide, shapes: (slide.shapes ?? '').repeat(300) }];
  const picture = { name: 'ppt/media/image1.png', data: pngImage(2, 2, { color: [1, 2, 3] }) };
  const sanitizer = await SOURCE_SANITIZERS.pptx();
  const options = { revisions: 'markup', updateFields: 'none' } as const;
  const { bytes } = await sanitizer.prepare(
    presentationWith({ slides, parts: [...parts, picture] }),
    options,
  );
  const budget = new Budget();
  const archive = await readArchive(bytes, budget);
  const read = (name: string) => {
    const entry = archive.get(name);
    return entry === undefined ? '' : unpackEntry(entry, budget).toString();
  };
  expect(read('ppt/slides/slide1.xml').match(/<p:pic /g)).toHaveLength(300);
  expect(read('ppt/slides/_rels/slide1.xml.rels').match(/image1\.png/g)).toHaveLength(1);
  expect([...archive.keys()].filter((name) => name.includes('drawing'))).toEqual([]);
});
