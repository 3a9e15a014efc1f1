import { attributeOf, escapeXml, parseXml, putElement, type XmlElement } from './xml.ts';

const W15 = 'http://schemas.microsoft.com/office/word/2012/wordml';
const TERMS = 'http://purl.org/dc/terms/';
const CORE = 'http://schemas.openxmlformats.org/package/2006/metadata/core-properties';

/** Namespaces of the transitional and the strict variant (ISO/IEC 29500-1 §22.3, annex A). */
const CUSTOM = [
  {
    properties: 'http://schemas.openxmlformats.org/officeDocument/2006/custom-properties',
    types: 'http://schemas.openxmlformats.org/officeDocument/2006/docPropsVTypes',
  },
  {
    properties: 'http://purl.oclc.org/ooxml/officeDocument/customProperties',
    types: 'http://purl.oclc.org/ooxml/officeDocument/docPropsVTypes',
  },
];

/** Format id of user-defined properties. */
const FMTID = '{D5CDD505-2E9C-101B-9397-08002B2CF9AE}';
const FIRST_PID = 2;

const DECLARATION = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n';

/** Characters that XML does not permit (XML 1.0 §2.2). Character references may produce them, and writing them would damage the file. */
const INVALID_CHARACTER = /[^\t\n\r -\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]/u;

/** Returns undefined for a blank text. Throws for invalid characters. */
function nonBlank(text: string | undefined): string | undefined {
  if (!text?.trim()) return undefined;
  if (INVALID_CHARACTER.test(text)) throw new SyntaxError('XML: invalid character');
  return text;
}

/** Returns `w15:docId/@w15:val` of the settings ([MS-DOCX] §2.5.1.25) without braces. `w14:docId` has a different meaning. */
export function docIdOf(settings: string): string | undefined {
  const docId = parseXml(settings).children.find(
    (child) => child.namespace === W15 && child.name === 'docId',
  );
  const value = docId && attributeOf(docId, 'val', W15);
  return nonBlank(value?.replace(/^\s*\{|\}\s*$/g, ''));
}

function createdElement(root: XmlElement): XmlElement | undefined {
  return root.children.find((child) => child.namespace === TERMS && child.name === 'created');
}

/** Returns the text of `dcterms:created` in core properties (ISO/IEC 29500-2 §11). */
export function createdOf(core: string): string | undefined {
  return nonBlank(createdElement(parseXml(core))?.text);
}

function guidElement(root: XmlElement): XmlElement | undefined {
  return root.children.find(
    (child) =>
      child.name === 'property' &&
      child.namespace === root.namespace &&
      attributeOf(child, 'name') === 'DocumentGuid',
  );
}

/** Returns the text of the custom property `DocumentGuid`, of any type. */
export function documentGuidOf(custom: string): string | undefined {
  return nonBlank(guidElement(parseXml(custom))?.children[0]?.text);
}

/** Returns the core properties with this creation time. Creates the part if there is none. */
export function withCreated(core: string | undefined, created: string): string {
  const xml = core ?? `${DECLARATION}<cp:coreProperties xmlns:cp="${CORE}"/>`;
  const root = parseXml(xml);
  if (root.namespace !== CORE) throw new TypeError('unknown namespace of core properties');
  const fragment =
    `<dcterms:created xmlns:dcterms="${TERMS}" xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance" ` +
    `xsi:type="dcterms:W3CDTF">${escapeXml(created)}</dcterms:created>`;
  return putElement(xml, root, fragment, createdElement(root));
}

function freePid(properties: readonly XmlElement[]): number {
  const taken = new Set(properties.map((child) => Number(attributeOf(child, 'pid'))));
  let pid = FIRST_PID;
  while (taken.has(pid)) pid++;
  return pid;
}

/** Returns the custom properties with this `DocumentGuid` and a free `pid`. Creates the part if there is none. */
export function withDocumentGuid(custom: string | undefined, guid: string, strict: boolean): string {
  const xml = custom ?? `${DECLARATION}<Properties xmlns="${CUSTOM[strict ? 1 : 0]?.properties}"/>`;
  const root = parseXml(xml);
  const family = CUSTOM.find(({ properties }) => properties === root.namespace);
  if (!family) throw new TypeError('unknown namespace of custom properties');
  const old = guidElement(root);
  const pid = freePid(root.children.filter((child) => child !== old));
  const fragment =
    `<property xmlns="${family.properties}" fmtid="${FMTID}" pid="${pid}" name="DocumentGuid">` +
    `<vt:lpwstr xmlns:vt="${family.types}">${escapeXml(guid)}</vt:lpwstr></property>`;
  return putElement(xml, root, fragment, old);
}
