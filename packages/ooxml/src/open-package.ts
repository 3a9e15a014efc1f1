import { Budget } from './bounds.ts';
import { CONTENT_TYPES_NAME, type ContentTypes, readContentTypes } from './content-types.ts';
import { describeForeignFile, isCompoundFile, isEncryptedPackage } from './foreign-file.ts';
import { describeArchive, describeMainType, type PackageKind, WORD_PACKAGE } from './main-type.ts';
import { OoxmlError } from './ooxml-error.ts';
import type { DropKind, Dropped, OoxmlPackage, Part, Relationship, Relationships } from './package.ts';
import { decodeName, isReservedName, relationshipsName } from './part-name.ts';
import { readRelationships } from './relationships.ts';
import { type ScanContext, scanXml, type XmlVisitor } from './xml-scan.ts';
import { Scope } from './xml-tag.ts';
import { decodeXml, XmlError } from './xml-text.ts';
import { type Archive, type ArchiveEntry, readArchive, unpackEntry } from './zip-reader.ts';

/** Examines a package while it is opened, and may remove content from it. */
export interface Inspector {
  /** False removes the relationship and what only it leads to. `source` is undefined for the package. */
  keepsRelationship?(relationship: Relationship, source: Part | undefined, dropped: Dropped[]): boolean;
  /** Returns the handlers for a part's XML. They may add to `part.edits`. */
  visit?(part: Part, dropped: Dropped[]): XmlVisitor | undefined;
  /** False removes the part and the relationships that lead to it. Called before its XML is read. */
  keepsPart?(part: Part, dropped: Dropped[], budget: Budget): boolean | Promise<boolean>;
}

/** The relationship from a package to its main part, in Transitional and in ISO/IEC 29500 Strict. */
const OFFICE_DOCUMENT = new Set([
  'http://schemas.openxmlformats.org/officeDocument/2006/relationships/officeDocument',
  'http://purl.oclc.org/ooxml/officeDocument/relationships/officeDocument',
]);

/** The relationship to content in another format, which readers import by that format (ECMA-376-1 §17.17.2.1). */
const ALTERNATIVE = 'aFChunk';

/** The bytes that may precede the first tag: white space, byte order marks and the zeros of UTF-16. */
const BEFORE_XML = new Set(Buffer.from('\ufeff\t\n\r \0'));
BEFORE_XML.add(0xff).add(0xfe);
const LESS = 0x3c;
/** `<?xm` in the encoding that libxml2 uses to detect EBCDIC (XML 1.0 appendix F.1). */
const EBCDIC_XML = Buffer.from([0x4c, 0x6f, 0xa7, 0x94]);

function damaged(why: string, cause?: unknown): OoxmlError {
  return new OoxmlError('INVALID_FILE_FORMAT', `The document is damaged: ${why}.`, { cause });
}

function wrongKind(description: string, { name }: PackageKind): OoxmlError {
  if (description === name) return damaged('its main part has the type of another part');
  return new OoxmlError('INVALID_FILE_FORMAT', `The file is ${description}, not ${name}.`);
}

/**
 * Opens an Office package, by default a Word document (DOCX, DOTX, DOCM or DOTM). The only input is its bytes.
 *
 * The archive, part names, content types and relationships are read strictly. Each part reachable from the root is
 * unpacked once and its XML is read once, within `BOUNDS`; the inspectors are called in that same pass. Throws
 * OoxmlError: INVALID_FILE_FORMAT with the part and the defect, DOCUMENT_ENCRYPTED, or DOCUMENT_TOO_COMPLEX with the
 * bound.
 *
 * @example
 * await openPackage(Buffer.from('text')).catch(({ code }) => code) // 'INVALID_FILE_FORMAT'
 */
export async function openPackage(
  file: Uint8Array,
  inspectors: readonly Inspector[] = [],
  budget = new Budget(),
  kind = WORD_PACKAGE,
): Promise<OoxmlPackage> {
  const bytes = Buffer.from(file.buffer, file.byteOffset, file.byteLength);
  if (bytes.length === 0) throw new OoxmlError('INVALID_FILE_FORMAT', 'The file is empty.');
  if (isCompoundFile(bytes) && isEncryptedPackage(bytes))
    throw new OoxmlError(
      'DOCUMENT_ENCRYPTED',
      'The document is protected by a password or by rights management.',
    );
  if (bytes.toString('latin1', 0, 4) !== 'PK\x03\x04') throw wrongKind(describeForeignFile(bytes), kind);
  const archive = await readArchive(bytes, budget);
  if (!archive.has(CONTENT_TYPES_NAME.toLowerCase())) throw wrongKind(describeArchive(archive, budget), kind);
  return new PackageReader(archive, inspectors, budget, kind).read();
}

class PackageReader {
  readonly #archive: Archive;
  readonly #inspectors: readonly Inspector[];
  readonly #budget: Budget;
  readonly #kind: PackageKind;
  readonly #names = Scope.root();
  readonly #contentType: ContentTypes;
  #contentTypesXml = '';
  readonly #parts = new Map<string, Part>();
  readonly #dropped: Dropped[] = [];
  /** Ids of hyperlinks without a target, by the name of their part. */
  readonly #lost = new Map<string, ReadonlySet<string>>();
  /** Parts that an inspector removed. */
  readonly #refused = new Set<string>();

  constructor(archive: Archive, inspectors: readonly Inspector[], budget: Budget, kind: PackageKind) {
    this.#archive = archive;
    this.#inspectors = inspectors;
    this.#budget = budget;
    this.#kind = kind;
    const entry = archive.get(CONTENT_TYPES_NAME.toLowerCase());
    if (entry === undefined) throw damaged(`it has no ${CONTENT_TYPES_NAME}`);
    this.#contentType = this.#readXml(entry, (xml, context) => {
      this.#contentTypesXml = xml;
      return readContentTypes(xml, context);
    });
  }

  async read(): Promise<OoxmlPackage> {
    const root = this.#relationships('');
    const main = root.list.find(({ type, isExternal }) => OFFICE_DOCUMENT.has(type) && !isExternal);
    if (main === undefined) throw damaged('no relationship leads to its main part');
    if (main.part === undefined) throw damaged('its main part is missing');
    const type = this.#contentType(this.#archive.get(main.part)?.name ?? '');
    if (!this.#kind.mainTypes.has(type)) throw wrongKind(describeMainType(type), this.#kind);
    // The main part comes first: inspectors need its settings and styles for the other parts.
    const queue = [main];
    const relationships = this.#keep(root, undefined, queue);
    for (let next = queue.shift(); next !== undefined; next = queue.shift())
      await this.#readPart(next, queue);
    const mainPart = this.#parts.get(main.part);
    if (mainPart?.xml === undefined) throw damaged('its main part is not XML');
    for (const part of this.#parts.values()) this.#forgetRefused(part.relationships);
    this.#forgetRefused(relationships);
    return {
      main: mainPart,
      parts: this.#parts,
      relationships,
      dropped: this.#dropped,
      archive: this.#archive,
      contentTypes: { xml: this.#contentTypesXml, typeOf: this.#contentType },
    };
  }

  #readXml<T>(entry: ArchiveEntry, read: (xml: string, context: ScanContext) => T): T {
    return this.#explain(entry.name, () => {
      this.#budget.addXml(entry.size);
      return read(decodeXml(unpackEntry(entry, this.#budget)).xml, this.#context(entry.name));
    });
  }

  #context(part: string): ScanContext {
    return { budget: this.#budget, part, names: this.#names };
  }

  #explain<T>(name: string, read: () => T): T {
    try {
      return read();
    } catch (error) {
      if (error instanceof XmlError) throw damaged(`${name} holds ${error.message}`, error);
      throw error;
    }
  }

  #find(name: string): string | undefined {
    const key = name.toLowerCase();
    const found = this.#archive.has(key) ? key : decodeName(key);
    return this.#archive.has(found) && !isReservedName(found) ? found : undefined;
  }

  #relationships(sourceName: string): Relationships {
    const entry = this.#archive.get(relationshipsName(sourceName).toLowerCase());
    if (entry === undefined) {
      if (sourceName === '') throw damaged('it has no _rels/.rels');
      return { list: [] };
    }
    const find = (name: string) => this.#find(name);
    const read = (xml: string, context: ScanContext) => readRelationships(xml, sourceName, find, context);
    const { list, defects } = this.#readXml(entry, read);
    const { lost, repeated } = defects;
    if (lost.size === 0 && repeated.size === 0) return { list, entry };
    this.#lost.set(sourceName, new Set(lost.keys()));
    const drop = (what: DropKind, detail: string) => this.#dropped.push({ what, part: entry.name, detail });
    for (const [id, kind] of lost) drop(kind === 'hyperlink' ? 'external link' : 'damaged relationship', id);
    for (const id of repeated) drop('damaged relationship', id);
    return { list };
  }

  /** Asks the inspectors about each relationship, and queues the targets of those kept. */
  #keep({ list, entry }: Relationships, source: Part | undefined, queue: Relationship[]): Relationships {
    const kept = list.filter((relationship) =>
      this.#inspectors.every(
        (inspector) => inspector.keepsRelationship?.(relationship, source, this.#dropped) ?? true,
      ),
    );
    queue.push(...kept.filter(({ part }) => part !== undefined));
    return kept.length === list.length && entry !== undefined ? { list, entry } : { list: kept };
  }

  async #readPart({ part: key = '', kind }: Relationship, queue: Relationship[]): Promise<void> {
    const entry = this.#archive.get(key);
    if (entry === undefined || this.#refused.has(key)) return;
    const known = this.#parts.get(key);
    if (known !== undefined) {
      this.#readPartXml(known, kind);
      return;
    }
    const part: Part = {
      key,
      name: entry.name,
      contentType: this.#contentType(entry.name),
      bytes: unpackEntry(entry, this.#budget),
      edits: [],
      relationships: { list: [] },
      entry,
    };
    for (const inspector of this.#inspectors)
      if ((await inspector.keepsPart?.(part, this.#dropped, this.#budget)) === false) {
        this.#refused.add(key);
        return;
      }
    this.#parts.set(key, part);
    part.relationships = this.#keep(this.#relationships(part.name), part, queue);
    this.#readPartXml(part, kind);
  }

  /** Reads the XML of a part once. HTML as alternative content is not XML; by another relationship, readers parse it. */
  #readPartXml(part: Part, kind: string): void {
    if (kind === ALTERNATIVE || part.xml !== undefined || !isXml(part)) return;
    this.#explain(part.name, () => this.#scanPart(part));
  }

  #scanPart(part: Part): void {
    this.#budget.addXml(part.bytes.length);
    const { xml, isUtf8 } = decodeXml(part.bytes);
    part.xml = xml;
    if (!isUtf8) {
      // UTF-8 is the one encoding that readers cannot mistake for another.
      part.bytes = Buffer.from(xml);
      delete part.entry;
    }
    const visitors = this.#inspectors
      .map((inspector) => inspector.visit?.(part, this.#dropped))
      .filter((visitor) => visitor !== undefined);
    const lost = this.#lost.get(part.name);
    if (lost !== undefined) visitors.push(unlink(part, lost));
    scanXml(xml, visitors, this.#context(part.name));
  }

  #forgetRefused(relationships: Relationships): void {
    const kept = relationships.list.filter(({ part }) => part === undefined || !this.#refused.has(part));
    if (kept.length === relationships.list.length) return;
    relationships.list = kept;
    delete relationships.entry;
  }
}

/** Removes the references to hyperlinks without a target. Word reports a reference that leads nowhere as damage. */
function unlink(part: Part, lost: ReadonlySet<string>): XmlVisitor {
  const open: NonNullable<XmlVisitor[string]>['open'] = (tag) => {
    for (const { name, value, start, end } of tag.attributes)
      if (name === 'r:id' && lost.has(value))
        part.edits.push({ start: tag.start + start, end: tag.start + end, text: '' });
  };
  const names = ['w:hyperlink', 'x:hyperlink', 'a:hlinkClick', 'a:hlinkHover', 'a:hlinkMouseOver'];
  return Object.fromEntries(names.map((name) => [name, { open }]));
}

/**
 * Whether a reader may take a part for XML, by its type or by its first bytes. LibreOffice uses the relationship that
 * leads to a part, neither its type nor its name. A Word document inside a Word document has its own type and is not
 * XML.
 */
function isXml({ contentType, bytes }: Part): boolean {
  if (bytes.toString('latin1', 0, 4) === 'PK\x03\x04') return false;
  if (/[+/]xml$/.test(contentType) || contentType.endsWith('vmldrawing')) return true;
  if (EBCDIC_XML.equals(bytes.subarray(0, EBCDIC_XML.length))) return true;
  const start = bytes.findIndex((byte) => !BEFORE_XML.has(byte));
  if (bytes[start] !== LESS) return false;
  // Two zeros before `<` are UTF-32, whose next character has them too, or the length field of a video.
  return bytes[start - 1] !== 0 || bytes[start - 2] !== 0 || bytes[start + 1] === 0;
}
