import { expect, it } from '@jest/globals';
import { Joining } from '@scriptorium/pdf/join';
import { docxWith } from '@scriptorium/testing/fixtures/docx';
import { croppedPdf, formPdf, rotatedPdf } from '@scriptorium/testing/fixtures/pdf/documents';
import { docxOfPictures, noisePng } from '@scriptorium/testing/fixtures/picture';
import { officePdfs } from '@scriptorium/testing/office';
import type { Raster } from '../src/raster.ts';
import { loadFile } from '../src/rendered-pdf.ts';

/** All pages of a document as PDFium draws them. */
async function rasters(pdf: Buffer): Promise<Raster[]> {
  const file = await loadFile(pdf);
  const opened = file.open();
  const drawn = Array.from({ length: opened.pages }, (_, index) => {
    const page = opened.page(index);
    const raster = page.render();
    page.close();
    return raster;
  });
  opened.close();
  file.close();
  return drawn;
}

it('each page of joined PDFs has the pixels that it had', async () => {
  const office = await officePdfs([
    docxOfPictures([noisePng(40)], ['Dear Ada,', 'first']),
    docxOfPictures([noisePng(40)], ['Dear Grace,', 'second']),
    docxWith(Array.from({ length: 120 }, (_, line) => `Line ${line} of a document with several pages.`)),
  ]);
  const sources = [...office, formPdf(), rotatedPdf(90), croppedPdf(), formPdf(), ...office];
  const joining = new Joining({ bytesMax: 1e8 }, () => true);
  for (const bytes of sources) joining.add({ bytes });
  const expected = (await Promise.all(sources.map(rasters))).flat();
  const found = await rasters(Buffer.concat(joining.finish().chunks));
  expect(found.length).toBe(expected.length);
  for (const [index, { width, height, pixels }] of expected.entries()) {
    const page = found[index];
    expect([page?.width, page?.height]).toEqual([width, height]);
    expect(page && Buffer.compare(page.pixels, pixels)).toBe(0);
  }
});
