import { packageEntries } from '@scriptorium/testing/fixtures/docx';
import { type ZipEntry, zip } from '@scriptorium/testing/fixtures/zip';

const W = 'http://schemas.openxmlformats.org/wordprocessingml/2006/main';
const R = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships';
const P = 'http://schemas.openxmlformats.org/package/2006';
const WORD = 'application/vnd.openxmlformats-officedocument.wordprocessingml';
const DECLARATION = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\r\n';
const PIXEL = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAQAAAC1HAwCAAAAC0lEQVR42mNk+A8AAQUBAScY42YAAAAASUVORK5CYII=';

function relationships(items: readonly [id: string, type: string, target: string, mode?: string][]): string {
  const lines = items.map(
    ([id, type, target, mode]) =>
      `  <Relationship Id="${id}" Type="${type}" Target="${target}"${mode === undefined ? '' : ` TargetMode="${mode}"`}/>\n`,
  );
  // White space as generators write it.
  return `${DECLARATION}<Relationships xmlns="${P}/relationships">\n${lines.join('')}</Relationships>\n`;
}

const TYPES = `${DECLARATION}<Types xmlns="${P}/content-types">
  <Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/>
  <Default Extension="xml" ContentType="application/xml"/><Default Extension="png" ContentType="image/png"/>
  <Override PartName="/word/document.xml" ContentType="${WORD}.document.main+xml"/>
  <Override PartName="/word/styles.xml" ContentType="${WORD}.styles+xml"/>
  <Override PartName="/word/header1.xml" ContentType="${WORD}.header+xml"/>
  <Override PartName="/docProps/core.xml" ContentType="application/vnd.openxmlformats-package.core-properties+xml"/>
</Types>`;

/** Returns the entries of a document with styles, a header with its own image, a link and properties. */
export function letterEntries(text = 'Dear Ada'): ZipEntry[] {
  const root = relationships([
    ['rId10', `${R}/officeDocument`, 'word/document.xml'],
    ['rId9', `${P}/relationships/metadata/core-properties`, 'docProps/core.xml'],
  ]);
  const ofMain = relationships([
    ['rId2', `${R}/styles`, 'styles.xml'],
    ['rId10', `${R}/header`, 'header1.xml', 'Internal'],
    ['link', `${R}/hyperlink`, 'https://example.org/?a=1#%C3%A4', 'External'],
  ]);
  const body =
    `<w:p><w:r><w:t>${text}</w:t></w:r></w:p><w:p><w:hyperlink r:id="link"><w:r><w:t>link</w:t></w:r></w:hyperlink></w:p>` +
    '<w:sectPr><w:headerReference w:type="default" r:id="rId10"/><w:pgSz w:w="11906" w:h="16838"/></w:sectPr>';
  return [
    {
      name: 'word/document.xml',
      data: `${DECLARATION}<w:document xmlns:w="${W}" xmlns:r="${R}"><w:body>${body}</w:body></w:document>`,
    },
    { name: '[Content_Types].xml', data: TYPES },
    { name: '_rels/.rels', data: root },
    { name: 'word/_rels/document.xml.rels', data: ofMain },
    { name: 'word/styles.xml', data: `${DECLARATION}<w:styles xmlns:w="${W}"/>` },
    {
      name: 'word/header1.xml',
      data: `${DECLARATION}<w:hdr xmlns:w="${W}"><w:p><w:r><w:t>Head</w:t></w:r></w:p></w:hdr>`,
    },
    {
      name: 'word/_rels/header1.xml.rels',
      data: relationships([['rId1', `${R}/image`, 'media/image1.png']]),
    },
    { name: 'word/media/image1.png', data: Buffer.from(PIXEL, 'base64') },
    {
      name: 'docProps/core.xml',
      data: `${DECLARATION}<cp:coreProperties xmlns:cp="${P}/metadata/core-properties" xmlns:dc="http://purl.org/dc/elements/1.1/"><dc:title>Letter</dc:title></cp:coreProperties>`,
    },
  ];
}

export function letter(text?: string): Buffer {
  return zip(letterEntries(text));
}

/** Encodes the name of a part as the target of a relationship. */
export function encodedTarget(name: string): string {
  return `/${encodeURI(name).replaceAll('&', '%26')}`;
}

/** Returns a document of one page with these parts as targets of its main part. */
export function documentWithParts(names: readonly string[], targetOf = encodedTarget): Buffer {
  const items = names.map((name, number): [string, string, string] => [
    `rId${number}`,
    `${R}/customXml`,
    targetOf(name),
  ]);
  const parts = names.map((name) => ({ name, data: '<a/>' }));
  const rels = { name: 'word/_rels/document.xml.rels', data: relationships(items) };
  return zip(packageEntries({ parts: [rels, ...parts] }));
}
