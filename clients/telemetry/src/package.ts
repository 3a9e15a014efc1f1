import { createdOf, docIdOf, documentGuidOf, withCreated, withDocumentGuid } from './properties.ts';
import { attributeOf, escapeXml, parseXml, putElement, type XmlElement } from './xml.ts';
import { findEntry, readArchive, readEntry, type ZipArchive } from './zip-reader.ts';
import { writeArchive } from './zip-writer.ts';

const CONTENT_TYPES = '[Content_Types].xml';
const ROOT_RELATIONSHIPS = '_rels/.rels';
const SETTINGS = 'word/settings.xml';
const SIGNATURES = '_xmlsignatures/';
const SIGNATURE_ORIGIN =
  'http://schemas.openxmlformats.org/package/2006/relationships/digital-signature/origin';

const RELATIONSHIP = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships/';
const STRICT_RELATIONSHIP = 'http://purl.oclc.org/ooxml/officeDocument/relationships/';
const PACKAGE_RELATIONSHIP = 'http://schemas.openxmlformats.org/package/2006/relationships/metadata/';

/** A part that the package names in its own relationships: any of the types will do, the first is written. */
interface Kind {
  readonly name: string;
  readonly contentType: string;
  readonly types: readonly string[];
}

const CORE: Kind = {
  name: 'docProps/core.xml',
  contentType: 'application/vnd.openxmlformats-package.core-properties+xml',
  types: [
    `${PACKAGE_RELATIONSHIP}core-properties`,
    // Some writers say so, and Word takes it.
    'http://schemas.openxmlformats.org/officedocument/2006/relationships/metadata/core-properties',
  ],
};

const CUSTOM: Kind = {
  name: 'docProps/custom.xml',
  contentType: 'application/vnd.openxmlformats-officedocument.custom-properties+xml',
  types: [`${RELATIONSHIP}custom-properties`, `${STRICT_RELATIONSHIP}customProperties`],
};

/** What tells a document from others, where it is there. */
export interface Marks {
  readonly guid?: string | undefined;
  readonly created?: string | undefined;
}

/** XML is UTF-8, or UTF-16 with a byte order mark (ISO/IEC 29500-2 §9.1.4); throws at what is neither. */
function decode(bytes: Uint8Array): string {
  const [first, second] = bytes;
  const little = first === 0xff && second === 0xfe;
  const big = first === 0xfe && second === 0xff;
  return new TextDecoder(little ? 'utf-16le' : big ? 'utf-16be' : 'utf-8', { fatal: true }).decode(bytes);
}

function encode(xml: string): Uint8Array {
  return new TextEncoder().encode(xml.replace(/^(<\?xml[^>]*\sencoding=["'])utf-16(?:le|be)?/i, '$1UTF-8'));
}

async function readPart(archive: ZipArchive, name: string): Promise<string | undefined> {
  const entry = findEntry(archive, name);
  return entry && decode(await readEntry(archive, entry));
}

function related(relationships: XmlElement, kind: Kind): XmlElement | undefined {
  return relationships.children.find(
    (child) =>
      attributeOf(child, 'TargetMode') !== 'External' &&
      kind.types.includes(attributeOf(child, 'Type') ?? ''),
  );
}

/** Where the part is: writers may put core properties elsewhere, and a package must not have two of them. */
function placeOf(relationships: XmlElement | undefined, kind: Kind): string {
  const relationship = relationships && related(relationships, kind);
  const target = relationship && attributeOf(relationship, 'Target');
  if (target === undefined) return kind.name;
  const name = target.replace(/^(?:\.?\/)+/, '');
  if (!/^[\w\-./]+$/.test(name) || name.includes('..')) throw new TypeError(`a place for ${kind.name}`);
  return name;
}

async function readRelationships(archive: ZipArchive): Promise<XmlElement | undefined> {
  const xml = await readPart(archive, ROOT_RELATIONSHIPS);
  return xml === undefined ? undefined : parseXml(xml);
}

/**
 * GUID and creation time of a DOCX file, as far as it has them.
 * Throws where the bytes are no archive that can be read within the bounds, or a part that matters is damaged.
 */
export async function readMarks(bytes: Uint8Array): Promise<Marks> {
  const archive = readArchive(bytes);
  const relationships = await readRelationships(archive);
  const [settings, core] = [
    await readPart(archive, SETTINGS),
    await readPart(archive, placeOf(relationships, CORE)),
  ];
  let guid = settings && docIdOf(settings);
  if (!guid) {
    const custom = await readPart(archive, placeOf(relationships, CUSTOM));
    guid = custom && documentGuidOf(custom);
  }
  return { guid, created: core && createdOf(core) };
}

function withRelationship(xml: string, kind: Kind, strict: boolean): string {
  const root = parseXml(xml);
  if (related(root, kind)) return xml;
  const taken = new Set(root.children.map((child) => attributeOf(child, 'Id')));
  let id = 1;
  while (taken.has(`rId${id}`)) id++;
  const type = kind === CUSTOM && strict ? kind.types[1] : kind.types[0];
  return putElement(
    xml,
    root,
    `<Relationship xmlns="${root.namespace}" Id="rId${id}" Type="${type}" Target="${kind.name}"/>`,
  );
}

function withContentType(xml: string, name: string, contentType: string): string {
  const root = parseXml(xml);
  const path = `/${name}`.toLowerCase();
  const extension = path.slice(path.lastIndexOf('.') + 1);
  const said = (element: string, attribute: string, value: string) =>
    root.children.find(
      (child) => child.name === element && attributeOf(child, attribute)?.toLowerCase() === value,
    );
  const given = said('Override', 'PartName', path) ?? said('Default', 'Extension', extension);
  if (given && attributeOf(given, 'ContentType') === contentType) return xml;
  const fragment = `<Override xmlns="${root.namespace}" PartName="/${escapeXml(name)}" ContentType="${contentType}"/>`;
  return putElement(xml, root, fragment, given?.name === 'Override' ? given : undefined);
}

/**
 * The file with these marks written into its properties; parts that it lacks are added with content type and
 * relationship, and all others stay as they are, byte for byte. Throws where the package cannot be read, or where it
 * is signed: a signature would not survive.
 */
export async function writeMarks(bytes: Uint8Array, { guid, created }: Marks): Promise<Uint8Array> {
  const archive = readArchive(bytes);
  if (archive.entries.some(({ name }) => name.toLowerCase().startsWith(SIGNATURES)))
    throw new TypeError('a signed package');
  const before = {
    types: await readPart(archive, CONTENT_TYPES),
    relations: await readPart(archive, ROOT_RELATIONSHIPS),
  };
  if (!before.types || !before.relations) throw new TypeError('no Office document');
  if (before.relations.includes(SIGNATURE_ORIGIN)) throw new TypeError('a signed package');
  let types = before.types;
  let relations = before.relations;
  const strict = relations.includes(STRICT_RELATIONSHIP);
  const parts = new Map<string, Uint8Array>();

  const put = async (kind: Kind, edit: (xml: string | undefined) => string) => {
    const name = placeOf(parseXml(relations), kind);
    parts.set(name, encode(edit(await readPart(archive, name))));
    types = withContentType(types, name, kind.contentType);
    relations = withRelationship(relations, kind, strict);
  };
  if (guid) await put(CUSTOM, (xml) => withDocumentGuid(xml, guid, strict));
  if (created) await put(CORE, (xml) => withCreated(xml, created));

  if (types !== before.types) parts.set(CONTENT_TYPES, encode(types));
  if (relations !== before.relations) parts.set(ROOT_RELATIONSHIPS, encode(relations));
  return writeArchive(archive, parts);
}
