import { type Budget, boundPassed } from '@scriptorium/ooxml/bounds';
import { decodeName, isSafeName } from '@scriptorium/ooxml/package';
import { applyEdits, decodeXml, Scope, scanXml, XmlError } from '@scriptorium/ooxml/xml';
import {
  type Archive,
  type ArchiveEntry,
  type NewEntry,
  unpackEntry,
  writeArchive,
} from '@scriptorium/ooxml/zip';
import type { DropLog } from '../drop-log.ts';
import { isTooLarge, looksLikeSvg, readPictureHeader } from '../picture.ts';
import { damaged, describeZip, refusedAs } from '../refusal.ts';
import { MANIFEST_NAME, type Manifest, readManifest, writeManifest } from './manifest.ts';
import { ODT_NAME } from './names.ts';
import { TableCount } from './table-count.ts';
import { OdfVisitor } from './visitor.ts';

const TEXT_TYPE = 'application/vnd.oasis.opendocument.text';
const TEXT_TYPES = new Set([TEXT_TYPE, `${TEXT_TYPE}-template`, `${TEXT_TYPE}-master`]);
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

interface VettedXml extends Pick<OdfVisitor, 'bodyPath' | 'version'> {
  data: Buffer;
}

/** Checks the parts of one OpenDocument package and rewrites those that stay. */
export class OdtReader {
  readonly #archive: Archive;
  readonly #budget: Budget;
  readonly #drops: DropLog;
  readonly #names = Scope.root();
  readonly #tables = new TableCount();
  readonly #manifest: Manifest;
  /** Parts that stay, by name, in the order of the archive. */
  readonly #kept = new Map<string, NewEntry>();
  /** Media types of the new manifest, by path. */
  readonly #types = new Map<string, string>();
  #version: string | undefined;

  constructor(archive: Archive, budget: Budget, drops: DropLog) {
    this.#archive = archive;
    this.#budget = budget;
    this.#drops = drops;
    const entry = archive.get(MANIFEST_NAME.toLowerCase());
    if (entry === undefined) throw refusedAs(describeZip(archive, budget), ODT_NAME);
    this.#manifest = this.#explain(entry.name, () =>
      readManifest(this.#decode(entry), { budget, part: entry.name, names: this.#names }),
    );
  }

  rebuild(): Buffer {
    this.#checkType();
    this.#types.set('/', TEXT_TYPE);
    const [objects, streams, others] = this.#sort();
    for (const entry of others) this.#keepBinary(entry);
    for (const [folder, entries] of objects) this.#keepObject(folder, entries);
    for (const entry of streams) this.#keepStream(entry);
    return writeArchive(
      [
        { name: 'mimetype', data: Buffer.from(TEXT_TYPE) },
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
    if (type === undefined || !TEXT_TYPES.has(type))
      throw refusedAs(describeZip(this.#archive, this.#budget), ODT_NAME);
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
  #keepBinary(entry: ArchiveEntry): void {
    const { name } = entry;
    const bytes = unpackEntry(entry, this.#budget);
    const header = readPictureHeader(bytes);
    if (header !== undefined && isTooLarge(header)) throw boundPassed('imagePixelsMax', name);
    const isFont = FONT_SIGNATURES.has(bytes.toString('latin1', 0, 4));
    if (header !== undefined || isFont) {
      this.#kept.set(name, { name, entry });
      this.#types.set(name, isFont ? 'application/x-font-ttf' : (this.#manifest.get(name) ?? ''));
      return;
    }
    const type = this.#manifest.get(name) ?? '';
    // The element that displays it is reported.
    if (type.includes('oleobject') || name.startsWith('ObjectReplacements/') || bytes.length === 0) return;
    const isPicture = type.startsWith('image/') || name.startsWith('Pictures/');
    this.#drops.add(looksLikeSvg(bytes) ? 'SVG image' : isPicture ? 'image' : 'unknown part', name);
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
      if (bodyPath.join('/') !== 'document-content/body/text')
        throw damaged('its content.xml does not contain a text document');
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
      const targets = { resolve: (address: string) => this.#resolve(address) };
      const visitor = new OdfVisitor(xml, entry.name, this.#drops, targets, this.#tables);
      scanXml(xml, [visitor.visitor()], { budget: this.#budget, part: entry.name, names: this.#names });
      const { edits, bodyPath, version } = visitor;
      return { data: Buffer.from(applyEdits(xml, edits)), bodyPath, version };
    });
  }

  /** Addresses inside the package are relative to it. OpenOffice.org prefixed them with `#`. */
  #resolve(address: string): string | undefined {
    const path = address.replace(/^#/, '').replace(/^\.\//, '');
    for (const name of [path, decodeName(path)]) {
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
