import { rewriteFont } from '@scriptorium/fonts/rewrite';
import { rasterize, SvgRefusal, simplify } from '@scriptorium/images/svg';
import { type Budget, boundPassed } from '@scriptorium/ooxml/bounds';
import { OoxmlError } from '@scriptorium/ooxml/error';
import { decodeName, isSafeName } from '@scriptorium/ooxml/package';
import {
  applyEdits,
  decodeXml,
  type Edit,
  Scope,
  scanXml,
  XmlError,
  type XmlVisitor,
} from '@scriptorium/ooxml/xml';
import {
  type Archive,
  type ArchiveEntry,
  type NewEntry,
  unpackEntry,
  writeArchive,
} from '@scriptorium/ooxml/zip';
import type { DropLog } from '../drop-log.ts';
import { isTooLarge, looksLikeSvg, type ReadPicture } from '../picture.ts';
import { damaged, describeZip, refusedAs } from '../refusal.ts';
import { addScripts } from '../scripts.ts';
import type { OdfKind } from './kinds.ts';
import { MANIFEST_NAME, type Manifest, readManifest, writeManifest } from './manifest.ts';
import { SheetCells } from './sheet-cells.ts';
import { SlideContent } from './slide-content.ts';
import type { StoredFields } from './stored-fields.ts';
import { TableCount } from './table-count.ts';
import { OdfVisitor } from './visitor.ts';

const MIMETYPE_BYTES_MAX = 200;

/** Names of the XML streams, in the package and in each of its objects (ODF 1.3 part 2 §3.2). */
const STREAMS = ['content.xml', 'styles.xml', 'meta.xml', 'settings.xml'];
const MACRO_FOLDER = /^(?:basic|scripts|dialogs)\//;
/** Parts without visible effect: the author's toolbars, a thumbnail, and signatures, which are no longer valid. */
const UNSHOWN =
  /^(?:mimetype|manifest\.rdf|.*\/manifest\.rdf|layout-cache|(?:.*\/)?(?:configurations2|thumbnails|meta-inf)\/.*)$/;
const OBJECT_TYPES: Readonly<Record<string, string>> = {
  chart: 'application/vnd.oasis.opendocument.chart',
  math: 'application/vnd.oasis.opendocument.formula',
};
const FONT_SIGNATURES = new Set(['\0\x01\0\0', 'OTTO', 'true', 'ttcf']);
/** The document type that OpenOffice.org wrote into each formula. */
const FORMULA_DOCTYPE =
  /<!DOCTYPE math:math PUBLIC "-\/\/OpenOffice\.org\/\/DTD Modified W3C MathML 1\.01\/\/EN" "math\.dtd">/;

const TEXT_MISSING = 'its text is not drawn because no font is available';

interface VettedXml extends Pick<OdfVisitor, 'bodyPath' | 'version'> {
  data: Buffer;
}

/** What notes what is found, and what judges pictures. */
interface OdfTools {
  drops: DropLog;
  fields: StoredFields;
  /** Gets the scripts of the text (`addScripts`). */
  scripts: Set<string>;
  readPicture: ReadPicture;
}

/** Checks the parts of one OpenDocument package and rewrites those that stay. */
export class OdfReader {
  readonly #kind: OdfKind;
  readonly #archive: Archive;
  readonly #budget: Budget;
  readonly #drops: DropLog;
  readonly #fields: StoredFields;
  readonly #scripts: Set<string>;
  readonly #readPicture: ReadPicture;
  readonly #names = Scope.root();
  readonly #tables: TableCount | undefined;
  readonly #sheets: SheetCells;
  readonly #slides: SlideContent;
  readonly #manifest: Manifest;
  /** Parts that stay, by name, in the order of the archive. */
  readonly #kept = new Map<string, NewEntry>();
  /** Media types of the new manifest, by path. */
  readonly #types = new Map<string, string>();
  #version: string | undefined;

  constructor(
    kind: OdfKind,
    archive: Archive,
    budget: Budget,
    { drops, fields, scripts, readPicture }: OdfTools,
  ) {
    this.#kind = kind;
    // A spreadsheet repeats empty rows and columns to the end of each sheet.
    this.#tables = kind.body === 'spreadsheet' ? undefined : new TableCount();
    this.#sheets = new SheetCells(drops);
    this.#slides = new SlideContent();
    this.#archive = archive;
    this.#budget = budget;
    this.#drops = drops;
    this.#fields = fields;
    this.#scripts = scripts;
    this.#readPicture = readPicture;
    const entry = archive.get(MANIFEST_NAME.toLowerCase());
    if (entry === undefined) throw refusedAs(describeZip(archive, budget), kind.name);
    this.#manifest = this.#explain(entry.name, () =>
      readManifest(this.#decode(entry), kind.name, { budget, part: entry.name, names: this.#names }),
    );
  }

  /** Number of comments, which spreadsheets and presentations lose. */
  get comments(): number {
    return this.#sheets.comments + this.#slides.comments;
  }

  async rebuild(): Promise<Buffer> {
    this.#checkType();
    this.#types.set('/', this.#kind.type);
    const [objects, streams, others] = this.#sort();
    for (const entry of others) await this.#keepBinary(entry);
    for (const [folder, entries] of objects) this.#keepObject(folder, entries);
    for (const entry of streams) this.#keepStream(entry);
    return writeArchive(
      [
        { name: 'mimetype', data: Buffer.from(this.#kind.type) },
        ...this.#kept.values(),
        { name: MANIFEST_NAME, data: Buffer.from(writeManifest(this.#types, this.#version)) },
      ],
      { isCompressed: false },
    );
  }

  /** Checks `mimetype` if it exists. Some correct producers do not write it first or uncompressed. */
  #checkType(): void {
    const entry = this.#archive.get('mimetype');
    if (entry !== undefined && entry.size > MIMETYPE_BYTES_MAX)
      throw damaged('its mimetype file is too long');
    const type =
      entry === undefined
        ? this.#manifest.get('/')
        : unpackEntry(entry, this.#budget).toString('latin1').trim().toLowerCase();
    if (!this.#kind.suffixes.some((suffix) => type === this.#kind.type + suffix))
      throw refusedAs(describeZip(this.#archive, this.#budget), this.#kind.name);
  }

  /** The XML of objects by folder, the XML of the document, and all other parts with visible content. */
  #sort(): [Map<string, ArchiveEntry[]>, ArchiveEntry[], ArchiveEntry[]] {
    const objects = new Map<string, ArchiveEntry[]>();
    const streams: ArchiveEntry[] = [];
    const others: ArchiveEntry[] = [];
    for (const [key, entry] of this.#archive) {
      const slash = entry.name.lastIndexOf('/') + 1;
      const folder = entry.name.slice(0, slash);
      if (UNSHOWN.test(key)) continue;
      if (MACRO_FOLDER.test(key)) this.#drops.add('macro', entry.name);
      else if (!STREAMS.includes(entry.name.slice(slash))) others.push(entry);
      else if (folder === '') streams.push(entry);
      else objects.set(folder, [...(objects.get(folder) ?? []), entry]);
    }
    if (!streams.some(({ name }) => name === 'content.xml')) throw damaged('it has no content.xml');
    return [objects, streams, others];
  }

  /** Keeps pictures and fonts, detected from their bytes in any folder. The manifest is rewritten. */
  async #keepBinary(entry: ArchiveEntry): Promise<void> {
    const { name } = entry;
    const bytes = unpackEntry(entry, this.#budget);
    const header = this.#readPicture(bytes);
    if (header !== undefined && isTooLarge(header)) throw boundPassed('imagePixelsMax', name);
    if (header !== undefined) {
      this.#kept.set(name, { name, entry });
      this.#types.set(name, this.#manifest.get(name) ?? '');
      return;
    }
    if (FONT_SIGNATURES.has(bytes.toString('latin1', 0, 4))) {
      this.#keepFont(name, bytes);
      return;
    }
    const type = this.#manifest.get(name) ?? '';
    // The element that displays it is reported.
    if (type.includes('oleobject') || name.startsWith('ObjectReplacements/') || bytes.length === 0) return;
    const isPicture = type.startsWith('image/') || name.startsWith('Pictures/');
    if (looksLikeSvg(bytes)) await this.#keepSvg(name, bytes);
    else this.#drops.add(isPicture ? 'image' : 'unknown part', name);
  }

  /** Writes an embedded font anew. */
  #keepFont(name: string, bytes: Buffer): void {
    const font = rewriteFont(bytes);
    if (font === undefined) this.#drops.add('embedded font', name);
    else {
      this.#kept.set(name, { name, data: font });
      this.#types.set(name, 'application/x-font-ttf');
    }
  }

  /** Keeps an SVG image as paths. One that has more than that is drawn. */
  async #keepSvg(name: string, bytes: Buffer): Promise<void> {
    try {
      const simple = await simplify(bytes, name);
      const { isTextMissing, ...drawn } = simple ?? (await rasterize(bytes, name));
      if (isTextMissing) this.#drops.add('SVG image', name, TEXT_MISSING);
      this.#kept.set(name, { name, data: 'svg' in drawn ? drawn.svg : drawn.png });
      this.#types.set(name, 'svg' in drawn ? 'image/svg+xml' : 'image/png');
    } catch (error) {
      if (!(error instanceof SvgRefusal || error instanceof XmlError || error instanceof OoxmlError))
        throw error;
      this.#drops.add('SVG image', name, error.message);
    }
  }

  /** Keeps charts and formulas. Other objects are whole documents; their replacement picture is displayed. */
  #keepObject(folder: string, entries: readonly ArchiveEntry[]): void {
    const vetted = entries.map((entry) => ({ name: entry.name, ...this.#vet(entry) }));
    const content = vetted.find(({ name }) => name === `${folder}content.xml`);
    const kind = content?.bodyPath.at(-1) ?? '';
    const type = Object.hasOwn(OBJECT_TYPES, kind) ? OBJECT_TYPES[kind] : undefined;
    if (type === undefined || folder.split('/').length > 2) {
      this.#drops.add('OLE object', folder);
      return;
    }
    for (const { name, data } of vetted) this.#keep(name, data);
    this.#types.set(folder, type);
  }

  #keepStream(entry: ArchiveEntry): void {
    const { data, bodyPath, version } = this.#vet(entry);
    if (entry.name === 'content.xml') {
      if (bodyPath.join('/') !== `document-content/body/${this.#kind.body}`)
        throw damaged(`its content.xml does not contain a ${this.#kind.body} document`);
      this.#version = version;
    }
    this.#keep(entry.name, data);
  }

  #keep(name: string, data: Buffer): void {
    this.#kept.set(name, { name, data });
    this.#types.set(name, 'text/xml');
  }

  #vet(entry: ArchiveEntry): VettedXml {
    return this.#explain(entry.name, () => {
      const xml = this.#decode(entry).replace(FORMULA_DOCTYPE, '');
      const targets = {
        resolve: (address: string) => this.#resolve(address),
        isMissing: (address: string) =>
          namesOf(address).every((name) => !this.#archive.has(name.toLowerCase())),
        readPicture: this.#readPicture,
      };
      const visitor = new OdfVisitor(xml, entry.name, this.#drops, targets, this.#tables);
      const edits: Edit[] = [];
      const survey = { '*': { text: (text: string) => addScripts(this.#scripts, text) } };
      const visitors = [visitor.visitor(), survey, ...this.#visitorsOf(entry.name, edits)];
      scanXml(xml, visitors, { budget: this.#budget, part: entry.name, names: this.#names });
      const { bodyPath, version } = visitor;
      return { data: Buffer.from(applyEdits(xml, [...visitor.edits, ...edits])), bodyPath, version };
    });
  }

  /** What only this kind of document needs. */
  #visitorsOf(part: string, edits: Edit[]): XmlVisitor[] {
    if (this.#kind.body === 'spreadsheet') return [this.#sheets.visitor(part, edits)];
    return this.#kind.body === 'presentation'
      ? [this.#slides.visitor(part, edits)]
      : [this.#fields.visitor(edits)];
  }

  #resolve(address: string): string | undefined {
    for (const name of namesOf(address)) {
      if (!isSafeName(name)) continue;
      if (this.#kept.has(name) || this.#types.has(`${name.replace(/\/$/, '')}/`)) return name;
    }
    return undefined;
  }

  #decode(entry: ArchiveEntry): string {
    this.#budget.addXml(entry.size);
    return decodeXml(unpackEntry(entry, this.#budget)).xml;
  }

  #explain<T>(name: string, read: () => T): T {
    try {
      return read();
    } catch (error) {
      if (error instanceof XmlError) throw damaged(`${name} holds ${error.message}`, error);
      throw error;
    }
  }
}

/** The names that an address may mean. It is relative to the package. OpenOffice.org prefixed it with `#`. */
function namesOf(address: string): string[] {
  const path = address.replace(/^#/, '').replace(/^\.\//, '');
  return [path, decodeName(path)];
}
