import { docxOf, NAMESPACES } from './documents.ts';

/** The parts of a layout around its places. `place` returns a run with the next one. */
export interface Layout {
  body: string;
  header?: string;
  footer?: string;
  section?: string;
}

type Place = () => string;

const COUNT_OF_NOTES = 40;
const DRAWING = 'http://schemas.openxmlformats.org/drawingml/2006';

export const words = (count: number, word = 'word'): string =>
  Array.from({ length: count }, (_, at) => `${word}${at}`).join(' ');
const run = (text: string) => `<w:r><w:t xml:space="preserve">${text}</w:t></w:r>`;
const p = (content: string, properties = '') => `<w:p><w:pPr>${properties}</w:pPr>${content}</w:p>`;
const repeat = (count: number, make: (at: number) => string) =>
  Array.from({ length: count }, (_, at) => make(at)).join('');
const lines = (count: number, properties = '<w:spacing w:before="240" w:after="120"/>') =>
  repeat(count, (at) => p(run(`line ${at} ${at % 3 === 0 ? words(20) : ''}`), properties));
const newPage = p(run('next page'), '<w:pageBreakBefore/>');
const cell = (content: string) => `<w:tc><w:tcPr><w:tcW w:w="4500" w:type="dxa"/></w:tcPr>${content}</w:tc>`;
const row = (cells: string[], properties = '') =>
  `<w:tr><w:trPr>${properties}</w:trPr>${cells.map(cell).join('')}</w:tr>`;
const table = (rows: string, properties = '<w:tblW w:w="9000" w:type="dxa"/>') =>
  `<w:tbl><w:tblPr>${properties}</w:tblPr><w:tblGrid><w:gridCol w:w="4500"/><w:gridCol w:w="4500"/></w:tblGrid>${rows}</w:tbl>`;
const rows = (count: number, properties = '', content = words(12)) =>
  repeat(count, (at) => row([p(run(`row ${at}`)), p(run(content))], properties));
const HEAD = '<w:tblHeader/>';
const WHOLE = '<w:cantSplit/>';
const floating = (content: string) =>
  table(
    row([content, p(run('beside'))]),
    '<w:tblpPr w:leftFromText="141" w:rightFromText="141" w:vertAnchor="text" w:horzAnchor="margin" w:tblpXSpec="right" w:tblpY="1"/><w:tblW w:w="4000" w:type="dxa"/>',
  );
const section = (properties: string) =>
  p('', `<w:sectPr>${properties}<w:pgSz w:w="11906" w:h="16838"/></w:sectPr>`);
const note = (at: number) => `<w:r><w:footnoteReference w:id="${2 + (at % COUNT_OF_NOTES)}"/></w:r>`;
const textBox = (wrap: string) =>
  `<w:r><w:pict xmlns:v="urn:schemas-microsoft-com:vml" xmlns:w10="urn:schemas-microsoft-com:office:word">` +
  `<v:rect style="position:absolute;margin-left:100pt;margin-top:20pt;width:150pt;height:90pt" fillcolor="#ddd"><v:textbox><w:txbxContent>${p(run(words(9)))}</w:txbxContent></v:textbox><w10:wrap type="${wrap}"/></v:rect></w:pict></w:r>`;
const picture = (frame: 'inline' | 'anchor', attributes: string, position: string) =>
  `<w:r><w:drawing><wp:${frame} xmlns:wp="${DRAWING}/wordprocessingDrawing" ${attributes}>${position}<wp:docPr id="3" name="picture"/>` +
  `<a:graphic xmlns:a="${DRAWING}/main"><a:graphicData uri="${DRAWING}/picture"><pic:pic xmlns:pic="${DRAWING}/picture"><pic:nvPicPr><pic:cNvPr id="3" name="picture"/><pic:cNvPicPr/></pic:nvPicPr>` +
  `<pic:blipFill><a:blip r:embed="rId6"/><a:stretch><a:fillRect/></a:stretch></pic:blipFill><pic:spPr><a:xfrm><a:off x="0" y="0"/><a:ext cx="1800000" cy="1200000"/></a:xfrm><a:prstGeom prst="rect"><a:avLst/></a:prstGeom></pic:spPr></pic:pic></a:graphicData></a:graphic></wp:${frame}></w:drawing></w:r>`;
const PICTURE =
  '<svg xmlns="http://www.w3.org/2000/svg" width="9" height="6"><rect width="9" height="6" fill="red"/></svg>';
const EXTENT = '<wp:extent cx="1800000" cy="1200000"/>';
const inlinePicture = picture('inline', '', EXTENT);
const wrappedPicture = (from: string) =>
  picture(
    'anchor',
    'distT="0" distB="0" distL="114300" distR="114300" simplePos="0" relativeHeight="2" behindDoc="0" locked="0" layoutInCell="1" allowOverlap="1"',
    `<wp:simplePos x="0" y="0"/><wp:positionH relativeFrom="column"><wp:posOffset>2500000</wp:posOffset></wp:positionH><wp:positionV relativeFrom="${from}"><wp:posOffset>300000</wp:posOffset></wp:positionV>${EXTENT}<wp:wrapSquare wrapText="bothSides"/>`,
  );
const frame = p(
  run(words(8)),
  '<w:framePr w:w="3000" w:hSpace="180" w:wrap="around" w:vAnchor="text" w:hAnchor="page" w:x="6000" w:y="200"/>',
);

/** Layouts in which a text that gets longer or shorter moves what follows, by name. */
export const LAYOUTS: Readonly<Record<string, (place: Place) => Layout>> = {
  'a repeated heading row with a place': (place) => ({
    body: table(row([p(place()), p(run('b'))], HEAD) + rows(50)) + newPage,
  }),
  'a repeated heading row with a place, and whole rows': (place) => ({
    body: table(row([p(place()), p(run('b'))], HEAD + WHOLE) + rows(50, WHOLE)) + newPage,
  }),
  'a table of heading rows only': (place) => ({
    body: lines(12) + table(row([p(place()), p(run('b'))], HEAD) + rows(20, HEAD)) + newPage,
  }),
  'a place below a heading row': (place) => ({
    body:
      table(row([p(run(words(60))), p(run('b'))], HEAD) + rows(3) + row([p(place()), p('')]) + rows(40)) +
      newPage,
  }),
  'places above a table with a heading row': (place) => ({
    body: p(place()) + table(row([p(run(words(30))), p('')], HEAD) + rows(45)) + p(place()) + newPage,
  }),
  'whole rows with places': (place) => ({
    body: table(rows(18) + row([p(place()), p(place())], WHOLE) + rows(18, WHOLE)) + newPage,
  }),
  'a table across pages': (place) => ({
    body: p(place()) + table(rows(20) + row([p(place()), p('')]) + rows(30)) + newPage,
  }),
  'a row that goes over several pages': (place) => ({
    body: lines(16) + table(row([p(place()) + lines(20), p(place()) + lines(9)])) + newPage,
  }),
  'a floating table with a place': (place) => ({
    body: p(run('a')) + floating(p(place())) + p(place()) + p(run(words(150))),
  }),
  'places around floating tables': (place) => ({
    body:
      p(place()) +
      floating(p(run(words(50)))) +
      p(place()) +
      lines(20) +
      floating(p(run(words(90)))) +
      lines(9) +
      newPage,
  }),
  'a nested table': (place) => ({
    body:
      p(place()) +
      table(row([table(row([p(place()), p(run('n'))]) + rows(9)) + p(''), lines(3)]) + rows(20)) +
      newPage,
  }),
  'a nested table in a heading row': (place) => ({
    body: table(row([table(row([p(place()), p('')], HEAD)) + p(''), p('')], HEAD) + rows(50)) + newPage,
  }),
  'a table with a heading row in the header': (place) => ({
    header: table(row([p(place()), p(run('h'))], HEAD) + rows(1)) + p(''),
    body: lines(22) + newPage,
  }),
  'a table with a heading row in the footer': (place) => ({
    footer: table(row([p(place()), p(run('f'))], HEAD) + rows(1)) + p(''),
    body: p(place()) + table(row([p(run('a')), p('')], HEAD) + rows(50, WHOLE)) + newPage,
  }),
  'paragraphs that keep with the next': (place) => ({
    body:
      p(place()) +
      lines(16) +
      lines(9, '<w:keepNext/><w:spacing w:before="300"/>') +
      p(place()) +
      lines(9) +
      newPage,
  }),
  'a table that keeps with the next': (place) => ({
    body:
      p(place()) +
      lines(17) +
      table(
        repeat(9, (at) =>
          row([p(at === 5 ? place() : run('k'), '<w:keepNext/>'), p(run('k'), '<w:keepNext/>')], WHOLE),
        ),
      ) +
      lines(9) +
      newPage,
  }),
  'paragraphs that stay whole': (place) => ({
    body: p(place()) + repeat(9, (at) => p(run(words(70 + at)), '<w:keepLines/>')) + newPage,
  }),
  'widow control': (place) => ({
    body:
      p(place()) +
      repeat(14, (at) => p(run(words(50 + at)), '<w:widowControl/>')) +
      p(place(), '<w:widowControl/>') +
      newPage,
  }),
  'contextual spacing': (place) => ({
    body:
      p(place()) +
      lines(30, '<w:keepLines/><w:spacing w:before="600" w:after="600"/><w:contextualSpacing/>') +
      newPage,
  }),
  columns: (place) => ({ body: p(place()) + lines(12), section: '<w:cols w:num="2" w:space="300"/>' }),
  'balanced columns': (place) => ({
    body:
      p(run('a')) +
      section('') +
      p(place()) +
      lines(9) +
      p(place()) +
      section('<w:type w:val="continuous"/><w:cols w:num="3" w:space="300"/>') +
      p(run('b')),
    section: '<w:type w:val="continuous"/>',
  }),
  'continuous sections': (place) => ({
    body:
      p(place()) +
      lines(14) +
      section('') +
      p(place()) +
      lines(9) +
      section('<w:type w:val="continuous"/>') +
      p(place()) +
      newPage,
    section: '<w:type w:val="continuous"/>',
  }),
  'sections on odd pages': (place) => ({
    body: p(place()) + lines(14) + section('') + p(place()) + lines(3),
    section: '<w:type w:val="oddPage"/>',
  }),
  'footnotes near the end of a page': (place) => ({
    body:
      p(place()) +
      repeat(40, (at) => p(run(words(at % 9)) + (at % 3 === 0 ? note(at) : ''))) +
      p(place() + note(1)) +
      newPage,
  }),
  'a text frame': (place) => ({
    body: p(place()) + lines(13) + frame + lines(8) + p(place()) + frame + lines(9) + newPage,
  }),
  'a text box that text runs around': (place) => ({
    body: p(place()) + lines(15) + p(textBox('square') + run(words(60))) + p(place()) + lines(9) + newPage,
  }),
  'a text box between lines': (place) => ({
    body:
      p(place()) + lines(15) + p(textBox('topAndBottom') + run(words(60))) + p(place()) + lines(9) + newPage,
  }),
  'a picture that text runs around': (place) => ({
    body:
      p(place()) +
      lines(4) +
      p(wrappedPicture('paragraph') + place()) +
      lines(15) +
      p(wrappedPicture('page') + run(words(70))) +
      newPage,
  }),
  'a picture beside a place on one page': (place) => ({
    body: p(wrappedPicture('paragraph') + place()) + p(place()) + lines(2),
  }),
  'a picture in a line': (place) => ({
    body: p(place()) + lines(16) + p(inlinePicture + place()) + lines(9) + newPage,
  }),
  'a text that ends on the page of a break': (place) => ({
    body: p(place()) + lines(12) + p(place()) + lines(9) + newPage,
  }),
  'hyphenated text': (place) => ({
    body:
      p(place() + run(' internationalization'), '<w:jc w:val="both"/>') +
      repeat(9, () => p(run('characteristically extraordinary '.repeat(12)), '<w:jc w:val="both"/>')) +
      p(place()) +
      lines(12) +
      newPage,
  }),
  'a page centered from top to bottom': (place) => ({
    body: p(place()) + lines(3) + p(place()),
    section: '<w:vAlign w:val="center"/>',
  }),
};

/** A document of this layout. Its text is hyphenated. */
export function layoutDocument({ body, header, footer, section: own = '' }: Layout): Buffer {
  const notes = repeat(
    COUNT_OF_NOTES,
    (at) => `<w:footnote w:id="${2 + at}">${p(run(words(20)))}</w:footnote>`,
  );
  const separators = `<w:footnote w:type="separator" w:id="0"><w:p><w:r><w:separator/></w:r></w:p></w:footnote>`;
  const around = [
    { name: 'header1.xml', kind: 'header', data: `<w:hdr ${NAMESPACES}>${header ?? p('')}</w:hdr>` },
    { name: 'footer1.xml', kind: 'footer', data: `<w:ftr ${NAMESPACES}>${footer ?? p('')}</w:ftr>` },
  ];
  const references = ['header', 'footer'].map(
    (kind, at) => `<w:${kind}Reference w:type="default" r:id="rId${2 + at}"/>`,
  );
  const parts = [
    ...around,
    {
      name: 'footnotes.xml',
      kind: 'footnotes',
      data: `<w:footnotes ${NAMESPACES}>${separators}${notes}</w:footnotes>`,
    },
    {
      name: 'settings.xml',
      kind: 'settings',
      data: `<w:settings ${NAMESPACES}><w:autoHyphenation/></w:settings>`,
    },
    { name: 'picture.svg', kind: 'image', data: PICTURE },
  ];
  return docxOf(body, parts, references.join('') + own);
}
