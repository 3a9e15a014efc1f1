import { type NewPart, newPackage } from '@scriptorium/ooxml/package';
import { XML_DECLARATION } from '@scriptorium/ooxml/xml';
import { writeArchive } from '@scriptorium/ooxml/zip';
import type { EngineSource } from '@scriptorium/sanitizer/sources';

const OFFICE = 'http://schemas.openxmlformats.org';
const RELATIONSHIP = `${OFFICE}/officeDocument/2006/relationships`;
const PACKAGE_TYPE = 'application/vnd.openxmlformats-officedocument';
const OASIS = 'urn:oasis:names:tc:opendocument:xmlns';
const TEXT = 'The quick brown fox';

/** A part of a workbook or a presentation, whose type begins as those of all Office documents. */
const part = (name: string, type: string, xml: string, ...links: NonNullable<NewPart['links']>): NewPart => ({
  name,
  contentType: `${PACKAGE_TYPE}.${type}+xml`,
  xml,
  links,
});

function workbook(): Buffer {
  const names = `xmlns="${OFFICE}/spreadsheetml/2006/main" xmlns:r="${RELATIONSHIP}"`;
  const cells = `<c r="A1" t="inlineStr"><is><t>${TEXT}</t></is></c><c r="B1"><v>1842.5</v></c>`;
  const sheet = 'xl/worksheets/sheet1.xml';
  return newPackage(
    [
      part(
        'xl/workbook.xml',
        'spreadsheetml.sheet.main',
        `<workbook ${names}><sheets><sheet name="1" sheetId="1" r:id="rId1"/></sheets></workbook>`,
        ['worksheet', sheet],
      ),
      part(
        sheet,
        'spreadsheetml.worksheet',
        `<worksheet ${names}><sheetData><row r="1">${cells}</row></sheetData></worksheet>`,
      ),
    ],
    { isCompressed: false },
  );
}

const GROUP = '<p:nvGrpSpPr><p:cNvPr id="1" name=""/><p:cNvGrpSpPr/><p:nvPr/></p:nvGrpSpPr><p:grpSpPr/>';
const COLORS = ['dk1', 'lt1', 'dk2', 'lt2', 'accent1', 'accent2', 'accent3', 'accent4', 'accent5', 'accent6'];

function theme(): string {
  const colors = [...COLORS, 'hlink', 'folHlink'].map(
    (name) => `<a:${name}><a:srgbClr val="203040"/></a:${name}>`,
  );
  const fonts = ['major', 'minor'].map(
    (name) =>
      `<a:${name}Font><a:latin typeface="Carlito"/><a:ea typeface=""/><a:cs typeface=""/></a:${name}Font>`,
  );
  return (
    `<a:theme xmlns:a="${OFFICE}/drawingml/2006/main" name="1"><a:themeElements><a:clrScheme name="1">${colors.join('')}` +
    `</a:clrScheme><a:fontScheme name="1">${fonts.join('')}</a:fontScheme><a:fmtScheme name="1"/></a:themeElements></a:theme>`
  );
}

function presentation(): Buffer {
  const names = `xmlns:p="${OFFICE}/presentationml/2006/main" xmlns:a="${OFFICE}/drawingml/2006/main" xmlns:r="${RELATIONSHIP}"`;
  const shape =
    '<p:sp><p:nvSpPr><p:cNvPr id="2" name="1"/><p:cNvSpPr/><p:nvPr/></p:nvSpPr><p:spPr><a:xfrm><a:off x="0" y="0"/>' +
    '<a:ext cx="3000000" cy="900000"/></a:xfrm><a:prstGeom prst="rect"><a:avLst/></a:prstGeom></p:spPr>' +
    `<p:txBody><a:bodyPr/><a:p><a:r><a:t>${TEXT}</a:t></a:r></a:p></p:txBody></p:sp>`;
  const tree = (shapes = '') => `<p:cSld><p:spTree>${GROUP}${shapes}</p:spTree></p:cSld>`;
  const map = 'bg1="lt1" tx1="dk1" bg2="lt2" tx2="dk2"';
  const accents = ['accent1', 'accent2', 'accent3', 'accent4', 'accent5', 'accent6', 'hlink', 'folHlink'];
  const colors = `<p:clrMap ${map} ${accents.map((name) => `${name}="${name}"`).join(' ')}/>`;
  const id = 2_147_483_648;
  const [master, layout, slide, themePart] = [
    'ppt/slideMasters/slideMaster1.xml',
    'ppt/slideLayouts/slideLayout1.xml',
    'ppt/slides/slide1.xml',
    'ppt/theme/theme1.xml',
  ] as const;
  return newPackage(
    [
      part(
        'ppt/presentation.xml',
        'presentationml.presentation.main',
        `<p:presentation ${names}><p:sldMasterIdLst><p:sldMasterId id="${id}" r:id="rId1"/></p:sldMasterIdLst>` +
          '<p:sldIdLst><p:sldId id="256" r:id="rId2"/></p:sldIdLst><p:sldSz cx="9144000" cy="6858000"/></p:presentation>',
        ['slideMaster', master],
        ['slide', slide],
      ),
      part(
        master,
        'presentationml.slideMaster',
        `<p:sldMaster ${names}>${tree()}${colors}<p:sldLayoutIdLst><p:sldLayoutId id="${id + 1}" r:id="rId1"/></p:sldLayoutIdLst></p:sldMaster>`,
        ['slideLayout', layout],
        ['theme', themePart],
      ),
      part(layout, 'presentationml.slideLayout', `<p:sldLayout ${names}>${tree()}</p:sldLayout>`, [
        'slideMaster',
        master,
      ]),
      part(slide, 'presentationml.slide', `<p:sld ${names}>${tree(shape)}</p:sld>`, ['slideLayout', layout]),
      part(themePart, 'theme', theme()),
    ],
    { isCompressed: false },
  );
}

function openDocument(kind: 'spreadsheet' | 'presentation', body: string): Buffer {
  const type = `application/vnd.oasis.opendocument.${kind}`;
  const names = ['office', 'table', 'text', 'presentation', 'style']
    .map((name) => `xmlns:${name}="${OASIS}:${name}:1.0"`)
    .concat(`xmlns:draw="${OASIS}:drawing:1.0"`, `xmlns:svg="${OASIS}:svg-compatible:1.0"`)
    .join(' ');
  const files: readonly (readonly [name: string, text: string])[] = [
    ['mimetype', type],
    [
      'content.xml',
      `<office:document-content ${names} office:version="1.3"><office:body><office:${kind}>${body}</office:${kind}></office:body></office:document-content>`,
    ],
    [
      'styles.xml',
      `<office:document-styles ${names} office:version="1.3"><office:automatic-styles><style:page-layout style:name="L"/></office:automatic-styles>` +
        '<office:master-styles><style:master-page style:name="Default" style:page-layout-name="L"/></office:master-styles></office:document-styles>',
    ],
    [
      'META-INF/manifest.xml',
      `<manifest:manifest xmlns:manifest="${OASIS}:manifest:1.0" manifest:version="1.3">` +
        `<manifest:file-entry manifest:full-path="/" manifest:version="1.3" manifest:media-type="${type}"/>` +
        '<manifest:file-entry manifest:full-path="content.xml" manifest:media-type="text/xml"/>' +
        '<manifest:file-entry manifest:full-path="styles.xml" manifest:media-type="text/xml"/></manifest:manifest>',
    ],
  ];
  return writeArchive(
    files.map(([name, text]) => ({
      name,
      data: Buffer.from(name === 'mimetype' ? text : XML_DECLARATION + text),
    })),
    { isCompressed: false },
  );
}

const TABLE =
  '<table:table table:name="1"><table:table-row><table:table-cell office:value-type="string">' +
  `<text:p>${TEXT}</text:p></table:table-cell></table:table-row></table:table>`;
const SLIDE =
  '<draw:page draw:name="1" draw:master-page-name="Default"><draw:frame svg:width="8cm" svg:height="2cm" svg:x="1cm" svg:y="1cm">' +
  `<draw:text-box><text:p>${TEXT}</text:p></draw:text-box></draw:frame></draw:page>`;

const DOCUMENTS: { readonly [Source in EngineSource]?: () => Buffer } = {
  xlsx: workbook,
  ods: () => openDocument('spreadsheet', TABLE),
  pptx: presentation,
  odp: () => openDocument('presentation', SLIDE),
};

/** The warm-up documents of spreadsheets and presentations; undefined for formats of texts. */
export function warmUpsWithoutText(source: EngineSource): Buffer[] | undefined {
  const document = DOCUMENTS[source]?.();
  return document && [document];
}
