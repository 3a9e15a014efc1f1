import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { openPackage, writePackage } from '@scriptorium/ooxml/package';
import { sanitizers } from '@scriptorium/sanitizer/docx';
import { testInWhole } from '@scriptorium/testing/extent';
import { packageEntries } from '@scriptorium/testing/fixtures/docx';
import { documentOf, wordType } from '@scriptorium/testing/fixtures/hostile/document';
import { IMAGES } from '@scriptorium/testing/fixtures/images';
import type { Color } from '@scriptorium/testing/fixtures/jpeg';
import { jpegImage } from '@scriptorium/testing/fixtures/jpeg';
import { p, run, sdt, wordPart } from '@scriptorium/testing/fixtures/word-markup';
import { zip } from '@scriptorium/testing/fixtures/zip';
import { type Area, Office, Page, wordsOf } from '@scriptorium/testing/rendered-page';
import { fillPictures, type PictureField } from './pictures.ts';

const RED: Color = [255, 0, 0];
const BLUE: Color = [0, 0, 255];
/** 1 inch around, on A4, in pixels. */
const MARGIN = 96;
const SECTION =
  '<w:pgSz w:w="11906" w:h="16838"/><w:pgMar w:top="1440" w:right="1440" w:bottom="1440" w:left="1440" w:header="720" w:footer="720"/>';
const NEXT_PAGE = p('<w:r><w:br w:type="page"/></w:r>');

let office: Office;
beforeAll(() => {
  office = new Office();
});
afterAll(() => office.close());

function template(body: string, header = ''): Buffer {
  const reference = header === '' ? '' : '<w:headerReference w:type="default" r:id="rId5"/>';
  return documentOf({
    mainXml: wordPart('document', `<w:body>${body}<w:sectPr>${reference}${SECTION}</w:sectPr></w:body>`),
    links: header === '' ? [] : [{ id: 'rId5', kind: 'header', target: 'header1.xml' }],
    parts:
      header === ''
        ? []
        : [{ name: 'word/header1.xml', data: wordPart('hdr', header), type: wordType('header') }],
  });
}

/** The filled document after the sanitizer, which must not remove anything. */
async function vetted(source: Buffer, fields: readonly PictureField[]): Promise<Buffer> {
  const { bytes } = await fillPictures(source, fields);
  const document = await openPackage(bytes, sanitizers());
  expect(document.dropped).toEqual([]);
  return writePackage(document, { isCompressed: false });
}

function size(area: Area | undefined): [width: number, height: number] | undefined {
  return area && [area.right - area.left, area.bottom - area.top];
}

function expectSize(area: Area | undefined, width: number, height: number): void {
  const [across = 0, down = 0] = size(area) ?? [];
  expect(Math.abs(across - width)).toBeLessThanOrEqual(2);
  expect(Math.abs(down - height)).toBeLessThanOrEqual(2);
}

describe('on the rendered page', () => {
  testInWhole('images of every format have their color and size', async () => {
    const formats = Object.entries(IMAGES);
    const colors = formats.map((_, index): Color => [255, 30 * index, 0]);
    const body = formats.map(([format]) => p(sdt({ tag: format }, run('old')))).join('');
    const fields = formats.map(([id, make], index): PictureField => {
      return { id, type: 'image', image: make(64, 40, colors[index]) };
    });
    const page = new Page(office.convert(await vetted(template(body), fields), 'pdf'));
    for (const color of colors) expectSize(page.areaOf(color), 64, 40);
  });

  testInWhole('images fit into their cell and header', async () => {
    const cell = (content: string) =>
      `<w:tc><w:tcPr><w:tcW w:w="3230" w:type="dxa"/></w:tcPr>${content}</w:tc>`;
    const body =
      '<w:tbl><w:tblPr/><w:tblGrid><w:gridCol w:w="3230"/><w:gridCol w:w="3230"/></w:tblGrid><w:tr>' +
      `${cell(p(run('left')))}${cell(p(sdt({ tag: 'x' }, run('old'))))}</w:tr></w:tbl>${p('')}`;
    const fields: PictureField[] = [
      { id: 'x', type: 'image', image: IMAGES.PNG(400, 100, BLUE) },
      { id: 'h', type: 'image', image: IMAGES.PNG(1_000, 20, RED) },
    ];
    const source = template(body, p(sdt({ tag: 'h' }, run('old'))));
    const page = new Page(office.convert(await vetted(source, fields), 'pdf'));
    expectSize(page.areaOf(BLUE), 200, 50);
    expect(page.areaOf(BLUE)?.left).toBeGreaterThan(MARGIN + 200);
    expectSize(page.areaOf(RED), 602, 12);
    expect(page.areaOf(RED)?.left).toBeCloseTo(MARGIN, -1);
  });

  testInWhole('photos are upright for every Exif orientation', async () => {
    // Stored with red in the upper left corner and blue in the lower right.
    const photo = (orientation: number) =>
      jpegImage(
        128,
        64,
        (left, top) => (left < 64 && top < 32 ? RED : left >= 64 && top >= 32 ? BLUE : [255, 255, 255]),
        orientation,
      );
    const orientations = [1, 2, 3, 4, 5, 6, 7, 8];
    const body = orientations
      .map((value) => p(run('|') + sdt({ tag: `f${value}` }, run('old'))))
      .join(NEXT_PAGE);
    const fields = orientations.map((value): PictureField => {
      return { id: `f${value}`, type: 'image', image: photo(value) };
    });
    const pdf = office.convert(await vetted(template(body), fields), 'pdf');
    const corners = orientations.map((value) => {
      const page = new Page(pdf, value);
      const [red, blue] = [page.areaOf(RED), page.areaOf(BLUE)];
      if (red === undefined || blue === undefined) throw new Error(`photo ${value} is not visible`);
      expectSize(red, value > 4 ? 32 : 64, value > 4 ? 64 : 32);
      expect(Math.min(red.left, blue.left)).toBeLessThan(MARGIN + 10);
      return `${red.top < blue.top ? 'upper' : 'lower'} ${red.left < blue.left ? 'left' : 'right'}`;
    });
    // Exif 2.32 §4.6.4: where the first stored row and column are displayed.
    expect(corners).toEqual([
      'upper left',
      'upper right',
      'lower right',
      'lower left',
      'upper left',
      'upper right',
      'lower right',
      'lower left',
    ]);
  });
});

/** The color of the arc and of the picture of each signature. Its label is its name. */
const SIGNATURES = (['alpha', 'beta', 'gamma', 'delta', 'epsilon'] as const).map((name, index) => ({
  name,
  arc: [255, 100 + 30 * index, 0] as Color,
  picture: [0, 40 * index, 200] as Color,
  height: 60 + 30 * (index % 2),
}));

function signature({ name, arc, picture, height }: (typeof SIGNATURES)[number]): PictureField {
  const hex = arc.map((value) => value.toString(16).padStart(2, '0')).join('');
  return {
    id: name,
    type: 'signature',
    image: IMAGES.PNG(200, 60, picture),
    options: {
      dimensions: { height },
      arcElement: { color: `#${hex}` },
      topLabel: { color: '#008000' },
      bottomLabel: { color: '#800080', text: name },
    },
  };
}

/** Checks that a page shows a signature: picture right of the arc, labels above and below, in the requested height. */
function expectSignature(pdf: Buffer, { name, arc, picture, height }: (typeof SIGNATURES)[number]): void {
  const page = new Page(pdf);
  const [bracket, image] = [page.areaOf(arc), page.areaOf(picture)];
  if (bracket === undefined || image === undefined) throw new Error(`${name} is not visible`);
  const labels = wordsOf(pdf).filter(({ left }) => Math.abs(left - image.left) < 3);
  const below = labels.find(({ word }) => word === name);
  const above = labels.filter(({ word, bottom }) => word === 'Signed' && bottom < image.top + 4).at(-1);
  expect(bracket.right).toBeLessThanOrEqual(image.left + 1);
  expect(image.left - bracket.left).toBeLessThan(20);
  expect(Math.abs(bracket.bottom - bracket.top - (height - 14))).toBeLessThanOrEqual(3);
  expect(image.bottom - image.top).toBeGreaterThan(height - 32);
  expect(below?.top).toBeGreaterThan(image.bottom - 4);
  expect((below?.top ?? Infinity) - image.bottom).toBeLessThan(6);
  expect(image.top - (above?.bottom ?? -Infinity)).toBeLessThan(6);
}

describe('a framed signature is complete on the page', () => {
  const control = (name: string) => sdt({ tag: name }, run('old'));
  const cell = (content: string) =>
    `<w:tc><w:tcPr><w:tcW w:w="4000" w:type="dxa"/></w:tcPr>${content}</w:tc>`;
  const box =
    '<w:r><w:pict><v:shape style="width:300pt;height:100pt"><v:textbox><w:txbxContent>' +
    `${p(control('epsilon'))}</w:txbxContent></v:textbox></v:shape></w:pict></w:r>`;
  const source = template(
    `${p(`${run('Here ')}${control('alpha')}${run(' and ')}${control('beta')}${run('.')}`, '<w:spacing w:line="200" w:lineRule="auto"/>')}` +
      `<w:tbl><w:tblPr/><w:tblGrid><w:gridCol w:w="4000"/><w:gridCol w:w="4000"/></w:tblGrid><w:tr>` +
      `${cell(p(run('left')))}${cell(p(control('gamma')))}</w:tr></w:tbl>${p(box)}`,
    p(control('delta')),
  );
  let document: Buffer;
  let pdf: Buffer;
  beforeAll(async () => {
    document = await vetted(source, SIGNATURES.map(signature));
    pdf = office.convert(document, 'pdf');
  });

  test.each([
    ['in a line', 0],
    ['in a line beside a smaller one', 1],
    ['in a cell', 2],
    ['in a header', 3],
    ['in a text box', 4],
  ])('%s', (_where, index) => {
    const expected = SIGNATURES[index];
    if (expected === undefined) throw new Error('the signature is missing');
    expectSignature(pdf, expected);
  });

  testInWhole('after LibreOffice saved the document, except labels in a text box', () => {
    const saved = office.convert(office.convert(document, 'docx'), 'pdf');
    const page = new Page(saved);
    for (const { name, arc, picture } of SIGNATURES) {
      expect([name, page.areaOf(arc)]).toEqual([name, expect.anything()]);
      expect([name, page.areaOf(picture)]).toEqual([name, expect.anything()]);
    }
    const names = SIGNATURES.slice(0, 4).map(({ name }) => name);
    expect(wordsOf(saved).map(({ word }) => word)).toEqual(expect.arrayContaining(names));
  });

  testInWhole('in a Strict document', async () => {
    const strict = 'http://purl.oclc.org/ooxml/wordprocessingml/main';
    const mainXml =
      `<w:document xmlns:w="${strict}"><w:body>${p(control('alpha'))}` +
      `<w:sectPr>${SECTION}</w:sectPr></w:body></w:document>`;
    const [alpha] = SIGNATURES;
    if (alpha === undefined) throw new Error('the signature is missing');
    const bytes = await vetted(zip(packageEntries({ strict: true, mainXml })), [signature(alpha)]);
    expectSignature(office.convert(bytes, 'pdf'), alpha);
  });
});
