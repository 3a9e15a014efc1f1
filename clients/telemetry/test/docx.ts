import { crc32, deflateRawSync } from 'node:zlib';

const W = 'http://schemas.openxmlformats.org/wordprocessingml/2006/main';
const W14 = 'http://schemas.microsoft.com/office/word/2010/wordml';
const W15 = 'http://schemas.microsoft.com/office/word/2012/wordml';
const RELATIONSHIPS = 'http://schemas.openxmlformats.org/package/2006/relationships';
const OFFICE = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships';
const CORE = 'http://schemas.openxmlformats.org/package/2006/metadata/core-properties';

export interface ZipPart {
  readonly name: string;
  readonly content: Buffer | string;
  readonly stored?: boolean;
  /** Writes sizes and checksum after the data, like streaming writers. */
  readonly descriptor?: boolean;
  readonly flags?: number;
  /** Wrong values for the headers. */
  readonly claimedSize?: number;
  readonly claimedOffset?: number;
}

/** Returns a ZIP archive of these parts. */
export function zip(parts: readonly ZipPart[], comment = ''): Buffer<ArrayBuffer> {
  const chunks: Buffer[] = [];
  const directory: Buffer[] = [];
  let at = 0;
  for (const part of parts) {
    const name = Buffer.from(part.name);
    const content = Buffer.from(part.content);
    const packed = part.stored ? content : deflateRawSync(content);
    const sizes = Buffer.alloc(12);
    sizes.writeUInt32LE(crc32(content), 0);
    sizes.writeUInt32LE(packed.length, 4);
    sizes.writeUInt32LE(part.claimedSize ?? content.length, 8);
    const head = Buffer.alloc(26);
    head.writeUInt16LE(20, 0);
    head.writeUInt16LE((part.flags ?? 0) | (part.descriptor ? 8 : 0), 2);
    head.writeUInt16LE(part.stored ? 0 : 8, 4);
    head.writeUInt32LE(0x5a215a21, 6);
    if (!part.descriptor) sizes.copy(head, 10);
    head.writeUInt16LE(name.length, 22);
    const local = [Buffer.from('PK\x03\x04'), head, name, packed];
    if (part.descriptor) local.push(Buffer.from('PK\x07\x08'), sizes);
    sizes.copy(head, 10);
    const place = Buffer.alloc(14);
    place.writeUInt32LE(part.claimedOffset ?? at, 10);
    directory.push(Buffer.from('PK\x01\x02\x14\x00'), Buffer.from(head), place, name);
    if (part.descriptor) head.fill(0, 10, 22);
    const record = Buffer.concat(local);
    chunks.push(record);
    at += record.length;
  }
  const central = Buffer.concat(directory);
  const end = Buffer.alloc(22);
  end.write('PK\x05\x06', 0, 'latin1');
  end.writeUInt16LE(parts.length, 8);
  end.writeUInt16LE(parts.length, 10);
  end.writeUInt32LE(central.length, 12);
  end.writeUInt32LE(at, 16);
  end.writeUInt16LE(comment.length, 20);
  return Buffer.concat([...chunks, central, end, Buffer.from(comment)]) as Buffer<ArrayBuffer>;
}

export const settingsPart = (inside = '', prefix = 'w15'): ZipPart => ({
  name: 'word/settings.xml',
  content:
    `<?xml version="1.0" encoding="UTF-8"?><w:settings xmlns:w="${W}" xmlns:w14="${W14}" xmlns:${prefix}="${W15}">` +
    `<w:zoom w:percent="100"/>${inside}</w:settings>`,
});

export const docId = (value: string, prefix = 'w15'): string => `<${prefix}:docId ${prefix}:val="${value}"/>`;

export const corePart = (created?: string, name = 'docProps/core.xml'): ZipPart => ({
  name,
  content:
    `<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n<cp:coreProperties xmlns:cp="${CORE}" ` +
    'xmlns:dc="http://purl.org/dc/elements/1.1/" xmlns:dcterms="http://purl.org/dc/terms/" ' +
    'xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance"><dc:creator>A. Author</dc:creator>' +
    `${created === undefined ? '' : `<dcterms:created xsi:type="dcterms:W3CDTF">${created}</dcterms:created>`}` +
    '</cp:coreProperties>',
});

export const customPart = (properties = ''): ZipPart => ({
  name: 'docProps/custom.xml',
  content:
    '<Properties xmlns="http://schemas.openxmlformats.org/officeDocument/2006/custom-properties" ' +
    `xmlns:vt="http://schemas.openxmlformats.org/officeDocument/2006/docPropsVTypes">${properties}</Properties>`,
});

export const property = (name: string, value: string, pid: number): string =>
  `<property fmtid="{D5CDD505-2E9C-101B-9397-08002B2CF9AE}" pid="${pid}" name="${name}"><vt:lpwstr>${value}</vt:lpwstr></property>`;

function contentTypes(parts: readonly ZipPart[]): ZipPart {
  const types: Record<string, string> = {
    'docProps/core.xml': 'application/vnd.openxmlformats-package.core-properties+xml',
    'docProps/custom.xml': 'application/vnd.openxmlformats-officedocument.custom-properties+xml',
    'word/document.xml': 'application/vnd.openxmlformats-officedocument.wordprocessingml.document.main+xml',
    'word/settings.xml': 'application/vnd.openxmlformats-officedocument.wordprocessingml.settings+xml',
  };
  const overrides = parts
    .filter(({ name }) => types[name])
    .map(({ name }) => `<Override PartName="/${name}" ContentType="${types[name]}"/>`);
  return {
    name: '[Content_Types].xml',
    content:
      '<?xml version="1.0" encoding="UTF-8"?><Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types">' +
      '<Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/>' +
      '<Default Extension="xml" ContentType="application/xml"/>' +
      '<Default Extension="psmdcp" ContentType="application/vnd.openxmlformats-package.core-properties+xml"/>' +
      `${overrides.join('')}</Types>`,
  };
}

function relationships(parts: readonly ZipPart[]): ZipPart {
  const core = parts.find(({ name }) => /core\.xml$|psmdcp$/.test(name));
  const has = (name: string) => parts.some((part) => part.name === name);
  const list = [
    `<Relationship Id="rId1" Type="${OFFICE}/officeDocument" Target="word/document.xml"/>`,
    core &&
      `<Relationship Id="rId2" Type="${RELATIONSHIPS}/metadata/core-properties" Target="/${core.name}"/>`,
    has('docProps/custom.xml') &&
      `<Relationship Id="rId4" Type="${OFFICE}/custom-properties" Target="docProps/custom.xml"/>`,
  ];
  return {
    name: '_rels/.rels',
    content: `<Relationships xmlns="${RELATIONSHIPS}">${list.filter(Boolean).join('')}</Relationships>`,
  };
}

/** Returns the parts of a DOCX file with additional parts, their content types and relationships. */
export function docxParts(parts: readonly ZipPart[] = []): ZipPart[] {
  const text: ZipPart = {
    name: 'word/document.xml',
    content: `<w:document xmlns:w="${W}"><w:body><w:p><w:r><w:t>Hello</w:t></w:r></w:p></w:body></w:document>`,
    descriptor: true,
  };
  const settings = parts.filter(({ name }) => name === 'word/settings.xml');
  const related: ZipPart = {
    name: 'word/_rels/document.xml.rels',
    content: `<Relationships xmlns="${RELATIONSHIPS}">${settings
      .map(() => `<Relationship Id="rId1" Type="${OFFICE}/settings" Target="settings.xml"/>`)
      .join('')}</Relationships>`,
    stored: true,
  };
  const all = [text, related, ...parts];
  return [contentTypes(all), relationships(all), ...all];
}

/** Returns a DOCX file with additional parts. */
export function docx(...parts: readonly ZipPart[]): Buffer<ArrayBuffer> {
  return zip(docxParts(parts));
}
