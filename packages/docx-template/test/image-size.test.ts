import { describe, expect, test } from '@jest/globals';
import { documentOf, wordType } from '@scriptorium/testing/fixtures/hostile/document';
import { pngImage } from '@scriptorium/testing/fixtures/hostile/image-files';
import { jpegImage } from '@scriptorium/testing/fixtures/jpeg';
import { p, run, sdt, wordPart } from '@scriptorium/testing/fixtures/word-markup';
import { fillPictures, sizesIn } from './pictures.ts';

const FIELD = p(sdt({ tag: 'x' }, run('old')));
/** 800 pixels between the margins, and 400 from top to bottom, including 20 for a line. */
const PAGE =
  '<w:pgSz w:w="15000" w:h="9000"/><w:pgMar w:top="1500" w:bottom="1500" w:left="1000" w:right="2000"/>';
const WIDE = pngImage(1_600, 10);

function page(body: string, section = PAGE): Buffer {
  return documentOf({
    mainXml: wordPart('document', `<w:body>${body}<w:sectPr>${section}</w:sectPr></w:body>`),
  });
}

/** The sizes of all drawings after filling the field `x` with an image. */
async function sizes(source: Buffer, image = WIDE, part?: string) {
  const { xml } = await fillPictures(source, [{ id: 'x', type: 'image', image }]);
  return sizesIn(xml(part));
}

function cell(content: string, properties: string): string {
  return `<w:tc><w:tcPr>${properties}</w:tcPr>${content}</w:tc>`;
}

function table(rows: string, { width = '', grid = [] as number[], properties = '' } = {}): string {
  const columns = grid.map((column) => `<w:gridCol w:w="${column}"/>`).join('');
  return `<w:tbl><w:tblPr>${width}${properties}</w:tblPr><w:tblGrid>${columns}</w:tblGrid>${rows}</w:tbl>${p('')}`;
}

const tcW = (width: number | string, type = 'dxa') => `<w:tcW w:w="${width}" w:type="${type}"/>`;
const tblW = (width: number | string, type = 'dxa') => `<w:tblW w:w="${width}" w:type="${type}"/>`;
const NO_MARGIN =
  '<w:tblCellMar><w:left w:w="0" w:type="dxa"/><w:right w:w="0" w:type="dxa"/></w:tblCellMar>';
const row = (...cells: string[]) => `<w:tr>${cells.join('')}</w:tr>`;
const other = cell(p(run('other')), '');

function textBox(width: number, height: number, properties = ''): string {
  return (
    '<w:r><mc:AlternateContent><mc:Choice xmlns:wps="http://schemas.microsoft.com/office/word/2010/wordprocessingShape" ' +
    `Requires="wps"><w:drawing><wp:inline><wp:extent cx="${width * 9_525}" cy="${height * 9_525}"/>` +
    '<wp:docPr id="7" name="Box"/><a:graphic><a:graphicData uri="wps"><wps:wsp><wps:cNvSpPr/><wps:spPr><a:xfrm>' +
    `<a:off x="0" y="0"/><a:ext cx="${width * 9_525}" cy="${height * 9_525}"/></a:xfrm></wps:spPr>` +
    `<wps:txbx><w:txbxContent>${FIELD}</w:txbxContent></wps:txbx><wps:bodyPr ${properties}/></wps:wsp>` +
    '</a:graphicData></a:graphic></wp:inline></w:drawing></mc:Choice>' +
    '<mc:Fallback><w:pict><v:shape style="position:absolute;width:75pt;height:75pt"><v:textbox><w:txbxContent>' +
    `${FIELD}</w:txbxContent></v:textbox></v:shape></w:pict></mc:Fallback></mc:AlternateContent></w:r>`
  );
}

/** The position of the field, and the width of an image of 1,600 pixels there. */
const PLACES: readonly (readonly [where: string, source: Buffer, widths: readonly number[]])[] = [
  ['on a page', page(FIELD), [800]],
  ['on a page without properties', page(FIELD, ''), [624]],
  ['on a page measured in other units', page(FIELD, PAGE.replace('"15000"', '"10in"')), [760]],
  ['in one of two columns', page(FIELD, `${PAGE}<w:cols w:num="2" w:space="600"/>`), [380]],
  [
    'in columns of different widths',
    page(
      FIELD,
      `${PAGE}<w:cols w:num="2" w:equalWidth="0"><w:col w:w="3000" w:space="600"/><w:col w:w="8400"/></w:cols>`,
    ),
    [200],
  ],
  [
    'in the first of two sections',
    page(FIELD + p('', '<w:sectPr><w:pgSz w:w="6000" w:h="9000"/></w:sectPr>') + FIELD),
    [208, 800],
  ],
  [
    'in a paragraph that ends a section',
    page(p(sdt({ tag: 'x' }, run('old')), '<w:sectPr><w:pgSz w:w="6000" w:h="9000"/></w:sectPr>')),
    [208],
  ],
  [
    'in a cell of a fixed width',
    page(table(row(cell(FIELD, tcW(3_000)), other), { properties: NO_MARGIN })),
    [200],
  ],
  ['between the default margins of a cell', page(table(row(cell(FIELD, tcW(3_230)), other))), [200]],
  [
    'between the margins that a cell defines',
    page(
      table(
        row(cell(FIELD, `${tcW(3_000)}<w:tcMar><w:start w:w="450"/><w:end w:w="150"/></w:tcMar>`), other),
      ),
    ),
    [160],
  ],
  [
    'in a cell with a percentage of its table',
    page(
      table(row(cell(FIELD, tcW(2_500, 'pct')), other), { width: tblW('50%', 'pct'), properties: NO_MARGIN }),
    ),
    [200],
  ],
  [
    'in a cell across columns of the grid',
    page(
      table(row(other, cell(FIELD, '<w:gridSpan w:val="2"/>')), {
        grid: [3_000, 1_500, 1_500],
        properties: NO_MARGIN,
      }),
    ),
    [200],
  ],
  [
    'in a cell of a table without widths',
    page(table(row(cell(FIELD, ''), other), { properties: NO_MARGIN })),
    [400],
  ],
  [
    'in a table in a cell',
    page(
      table(
        row(
          cell(
            table(row(cell(FIELD, tcW(2_500, 'pct'))), { width: tblW(5_000, 'pct'), properties: NO_MARGIN }),
            tcW(3_000),
          ),
        ),
        { properties: NO_MARGIN },
      ),
    ),
    [100],
  ],
  [
    'in a control around a cell',
    page(table(row(sdt({ tag: 'x' }, cell(p(run('old')), tcW(3_000))), other), { properties: NO_MARGIN })),
    [200],
  ],
  ['in a text box and its VML copy', page(p(textBox(220, 100))), [220, 200.8, 80.8]],
  ['in a text box without insets', page(p(textBox(220, 100, 'lIns="0" rIns="0"'))), [220, 220, 80.8]],
];

describe('an image without dimensions has the available width', () => {
  test.each(PLACES)('%s', async (_where, source, widths) => {
    expect((await sizes(source)).map(([width]) => Math.round(width * 10) / 10)).toEqual(widths);
  });

  test('in a header, from the section that refers to it, regardless of its columns', async () => {
    const source = documentOf({
      mainXml: wordPart(
        'document',
        `<w:body>${p('', '<w:sectPr><w:pgSz w:w="20000" w:h="9000"/></w:sectPr>')}` +
          `<w:sectPr><w:headerReference w:type="default" r:id="rId5"/>${PAGE}<w:cols w:num="2"/></w:sectPr></w:body>`,
      ),
      links: [{ id: 'rId5', kind: 'header', target: 'header1.xml' }],
      parts: [{ name: 'word/header1.xml', data: wordPart('hdr', FIELD), type: wordType('header') }],
    });
    expect(await sizes(source, WIDE, 'word/header1.xml')).toEqual([[800, 5]]);
  });
});

describe('an image without dimensions', () => {
  test('is not larger than its natural size', async () => {
    expect(await sizes(page(FIELD), pngImage(40, 30))).toEqual([[40, 30]]);
  });

  test('is not taller than its page, with a line below it', async () => {
    expect(await sizes(page(FIELD), pngImage(100, 760))).toEqual([[50, 380]]);
  });

  test('is not taller than a row of fixed height', async () => {
    const fixed = '<w:trPr><w:trHeight w:val="1500" w:hRule="exact"/></w:trPr>';
    expect(await sizes(page(table(row(fixed, cell(FIELD, tcW(9_000))))), pngImage(100, 160))).toEqual([
      [50, 80],
    ]);
  });

  test('is turned by its Exif orientation, and has its displayed size', async () => {
    const photo = jpegImage(48, 24, () => [255, 0, 0], 6);
    const [asStored, asSeen] = await sizes(page(FIELD), photo);
    expect([asStored, asSeen]).toEqual([
      [48, 24],
      [24, 48],
    ]);
  });
});

describe('an image with dimensions', () => {
  const filled = async (dimensions: { width?: number; height?: number }) => {
    const field = { id: 'x', type: 'image', image: pngImage(40, 30), options: { dimensions } } as const;
    return sizesIn((await fillPictures(page(FIELD), [field])).xml());
  };

  test.each([
    [{ width: 80 }, [80, 60]],
    [{ height: 15 }, [20, 15]],
    [{ width: 1_000, height: 7 }, [1_000, 7]],
    [{ width: 2_112 }, [2_112, 1_584]],
  ])('%j has them, regardless of its natural size and the room', async (dimensions, size) => {
    expect(await filled(dimensions)).toEqual([size]);
  });

  test.each([{ width: 2_113 }, { height: 1_600 }, { width: 10, height: 99_999 }])(
    '%j is rejected because no page is that large',
    async (dimensions) => {
      await expect(filled(dimensions)).rejects.toMatchObject({
        code: 'VALIDATION_ERROR',
        details: [{ field: 'fields[0].options.dimensions', issue: expect.stringContaining('2112') }],
      });
    },
  );
});
