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

/** A part that a package relationship names. All types are accepted, and the first is written. */
interface PartType {
  readonly name: string;
  readonly contentType: string;
  readonly types: readonly string[];
}

const CORE: PartType = {
  name: 'docProps/core.xml',
  contentType: 'application/vnd.openxmlformats-package.core-properties+xml',
  types: [
    `${PACKAGE_RELATIONSHIP}core-properties`,
    // Some writers use this type, and Word accepts it.
    'http://schemas.openxmlformats.org/officedocument/2006/relationships/metadata/core-properties',
  ],
};

const CUSTOM: PartType = {
  name: 'docProps/custom.xml',
  contentType: 'application/vnd.openxmlformats-officedocument.custom-properties+xml',
  types: [`${RELATIONSHIP}custom-properties`, `${STRICT_RELATIONSHIP}customProperties`],
};

/** The identifying properties of a document. */
export interface Marks {
  readonly guid?: string | undefined;
  readonly created?: string | undefined;
}

/** Decodes UTF-8, or UTF-16 with a byte order mark (ISO/IEC 29500-2 §9.1.4). Throws for anything else. */
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

function findRelationship(relationships: XmlElement, partType: PartType): XmlElement | undefined {
  return relationships.children.find(
    (child) =>
      attributeOf(child, 'TargetMode') !== 'External' &&
      partType.types.includes(attributeOf(child, 'Type') ?? ''),
  );
}

/** Returns the name of the part: writers may use other names for core properties, and a package must not have two of them. */
function partNameOf(relationships: XmlElement | undefined, partType: PartType): string {
  const relationship = relationships && findRelationship(relationships, partType);
  const target = relationship && attributeOf(relationship, 'Target');
  if (target === undefined) return partType.name;
  const name = target.replace(/^(?:\.?\/)+/, '');
  if (!/^[\w\-./]+$/.test(name) || name.includes('..'))
    throw new TypeError(`invalid target for ${partType.name}`);
  return name;
}

async function readRelationships(archive: ZipArchive): Promise<XmlElement | undefined> {
  const xml = await readPart(archive, ROOT_RELATIONSHIPS);
  return xml === undefined ? undefined : parseXml(xml);
}

/**
 * Reads the GUID and the creation time of a DOCX file, if it has them.
 * Throws if the bytes are not an archive within the limits, or a required part is damaged.
 */
export async function readMarks(bytes: Uint8Array): Promise<Marks> {
  const archive = readArchive(bytes);
  const relationships = await readRelationships(archive);
  const [settings, core] = [
    await readPart(archive, SETTINGS),
    await readPart(archive, partNameOf(relationships, CORE)),
  ];
  let guid = settings && docIdOf(settings);
  if (!guid) {
    const custom = await readPart(archive, partNameOf(relationships, CUSTOM));
    guid = custom && documentGuidOf(custom);
  }
  return { guid, created: core && createdOf(core) };
}

function withRelationship(xml: string, partType: PartType, strict: boolean): string {
  const root = parseXml(xml);
  if (findRelationship(root, partType)) return xml;
  const taken = new Set(root.children.map((child) => attributeOf(child, 'Id')));
  let id = 1;
  while (taken.has(`rId${id}`)) id++;
  const type = partType === CUSTOM && strict ? partType.types[1] : partType.types[0];
  return putElement(
    xml,
    root,
    `<Relationship xmlns="${root.namespace}" Id="rId${id}" Type="${type}" Target="${partType.name}"/>`,
  );
}

function withContentType(xml: string, name: string, contentType: string): string {
  const root = parseXml(xml);
  const path = `/${name}`.toLowerCase();
  const extension = path.slice(path.lastIndexOf('.') + 1);
  const find = (element: string, attribute: string, value: string) =>
    root.children.find(
      (child) => child.name === element && attributeOf(child, attribute)?.toLowerCase() === value,
    );
  const existing = find('Override', 'PartName', path) ?? find('Default', 'Extension', extension);
  if (existing && attributeOf(existing, 'ContentType') === contentType) return xml;
  const fragment = `<Override xmlns="${root.namespace}" PartName="/${escapeXml(name)}" ContentType="${contentType}"/>`;
  return putElement(xml, root, fragment, existing?.name === 'Override' ? existing : undefined);
}

/**
 * Writes these marks into the properties of the file. Missing parts are added with their content type and relationship. All
 * other parts stay unchanged, byte for byte. Throws if the package cannot be read, or is signed, since the change would
 * invalidate the signature.
 */
export async function writeMarks(bytes: Uint8Array, { guid, created }: Marks): Promise<Uint8Array> {
  const archive = readArchive(bytes);
  if (archive.entries.some(({ name }) => name.toLowerCase().startsWith(SIGNATURES)))
    throw new TypeError('a signed package');
  const before = {
    types: await readPart(archive, CONTENT_TYPES),
    relations: await readPart(archive, ROOT_RELATIONSHIPS),
  };
  if (!before.types || !before.relations) throw new TypeError('not an Office document');
  if (before.relations.includes(SIGNATURE_ORIGIN)) throw new TypeError('a signed package');
  let types = before.types;
  let relations = before.relations;
  const strict = relations.includes(STRICT_RELATIONSHIP);
  const parts = new Map<string, Uint8Array>();

  const put = async (partType: PartType, edit: (xml: string | undefined) => string) => {
    const name = partNameOf(parseXml(relations), partType);
    parts.set(name, encode(edit(await readPart(archive, name))));
    types = withContentType(types, name, partType.contentType);
    relations = withRelationship(relations, partType, strict);
  };
  if (guid) await put(CUSTOM, (xml) => withDocumentGuid(xml, guid, strict));
  if (created) await put(CORE, (xml) => withCreated(xml, created));

  if (types !== before.types) parts.set(CONTENT_TYPES, encode(types));
  if (relations !== before.relations) parts.set(ROOT_RELATIONSHIPS, encode(relations));
  return writeArchive(archive, parts);
}
