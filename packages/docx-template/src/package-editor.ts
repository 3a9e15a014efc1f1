import { createHash } from 'node:crypto';
import type { ImageFile } from '@scriptorium/images/picture';
import { BOUNDS, boundPassed } from '@scriptorium/ooxml/bounds';
import {
  type Dropped,
  type OoxmlPackage,
  type Part,
  patchPackage,
  type Relationship,
  RelationshipIndex,
} from '@scriptorium/ooxml/package';
import type { Edit } from '@scriptorium/ooxml/xml';
import {
  type ActiveContent,
  activeContentIn,
  withoutActiveFields,
} from '@scriptorium/sanitizer/active-content';
import type { ImagePlace } from './fields/image-value.ts';
import { RemainingRows } from './fields/table/remaining-rows.ts';
import { NewParts } from './new-parts.ts';
import { Numbering } from './numbering/numbering.ts';
import { Replaced } from './replaced.ts';
import type { Story } from './template/story.ts';
import type { Template } from './template/template.ts';

/** Fast: a higher level costs more time here than the smaller file saves on the network. */
const DEFLATE_LEVEL = 3;
const STRICT_RELATIONSHIPS = 'http://purl.oclc.org/ooxml/officeDocument/relationships';
const RELATIONSHIPS = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships';

interface NewPart {
  /** Last segment of the type of the relationship to it. */
  kind: string;
  fileName: string;
  contentType: string;
  xml: string;
}

interface EmbeddedPart {
  name: string;
  contentType: string;
  bytes: Buffer;
  /** Last segment of the type of the relationship to it. */
  kind: string;
  isStrict: boolean;
}

/** A document that takes the place of a paragraph. */
export interface DocumentInsertion {
  /** The paragraph as it is written in the main part. No other text contains it. */
  paragraph: string;
  /** The place of the document in the bytes that came with the data. */
  place: ImagePlace;
  /** The path of the value in the request. */
  path: string;
}

/** What a text of HTML loses: links that are not safe to follow, and pictures that would be fetched. */
export type HtmlLoss = 'links' | 'pictures';

/** Collects changes to a template and writes the result. The template itself does not change. */
export class PackageEditor {
  readonly template: Template;
  /** The controls will be removed, and only their content will stay. */
  readonly isFlattened: boolean;
  /** A table was filled whose template row is not marked. */
  guessesRow = false;
  readonly rows = new RemainingRows();
  readonly replaced = new Replaced();
  /** What texts of HTML lose that were written. */
  readonly lost = new Set<HtmlLoss>();
  /** Documents that the caller has to insert. */
  readonly insertions: DocumentInsertion[] = [];
  readonly #parts: Map<string, Part>;
  /** Part names by image. A document may show one image a thousand times. */
  readonly #imageNames = new Map<Buffer, string>();
  /** By the key of the part. */
  readonly #links = new Map<string, RelationshipIndex>();
  readonly #newParts: NewParts;
  readonly #dropped: Dropped[] = [];
  #captured: { part: Part; edits: Edit[] } | undefined;
  #numbering: Numbering | undefined;
  #drawingId = 0;
  #isEdited = false;
  #chars = 0;

  constructor(template: Template, isFlattened = false) {
    this.template = template;
    this.isFlattened = isFlattened;
    this.#parts = new Map(template.document.parts);
    this.#newParts = new NewParts(this.#parts, template.document.archive);
  }

  /** What the template had, or was written, and the built document does not have. */
  get removed(): { linksRemoved: boolean; contentRemoved: ActiveContent[] } {
    const { hasLostLinks, activeContent } = this.template;
    const pictures = this.lost.has('pictures') ? ['external-content' as const] : [];
    return {
      linksRemoved:
        hasLostLinks || this.lost.has('links') || this.#dropped.some(({ what }) => what === 'unsafe link'),
      contentRemoved: [...new Set([...activeContent, ...pictures, ...activeContentIn(this.#dropped)])],
    };
  }

  /** Replaces text of a part, by offsets in the template. Throws like `reserve`. */
  edit(story: Pick<Story, 'part'>, edit: Edit): void {
    this.#chars += edit.text.length;
    this.reserve(0);
    if (this.#captured?.part === story.part) this.#captured.edits.push(edit);
    else this.#own(story.part).edits.push(edit);
  }

  /** The edits of a part that `act` makes, instead of applying them. Edits of other parts are applied. */
  capture(part: Part, act: () => void): Edit[] {
    const captured = { part, edits: [] };
    this.#captured = captured;
    act();
    this.#captured = undefined;
    return captured.edits;
  }

  /**
   * Must be called before much text is created, because values may be short and many. Throws TemplateError
   * DOCUMENT_TOO_COMPLEX if the new text of the document would exceed the bound of its XML.
   */
  reserve(chars: number): void {
    if (this.#chars + chars > BOUNDS.xmlBytesMax) throw boundPassed('xmlBytesMax');
  }

  /** Replaces the whole text of a part. */
  rewrite(part: Part, xml: string): void {
    this.#count(xml.length);
    const own = this.#own(part);
    own.xml = xml;
    own.bytes = Buffer.from(xml);
    delete own.entry;
  }

  /** The text of a part with all changes so far. */
  textOf(part: Part): string {
    return this.#parts.get(part.key)?.xml ?? '';
  }

  /** The id of a relationship from a story to an image. Equal images share one part. */
  addImage(story: Story, image: ImageFile): string {
    const name = this.#imageNames.get(image.bytes) ?? this.#imageName(image);
    this.#imageNames.set(image.bytes, name);
    const key = name.toLowerCase();
    if (!this.#parts.has(key))
      this.#parts.set(key, {
        key,
        name,
        contentType: image.contentType,
        bytes: image.bytes,
        edits: [],
        relationships: { list: [] },
      });
    return this.#relateTo(this.#own(story.part), 'image', { key, name }, story.dialect.isStrict);
  }

  /** The id of a relationship from a story to a web or mail address. */
  addLink(story: Story, address: string): string {
    const relationship = { kind: 'hyperlink', target: address, isExternal: true };
    return this.#relate(this.#own(story.part), relationship, story.dialect.isStrict);
  }

  /** The lists of the document. */
  get numbering(): Numbering {
    this.#numbering ??= new Numbering(this);
    return this.#numbering;
  }

  /** Adds an XML part in the folder of the main part, with a relationship from that. `fileName` has no extension. */
  addPart({ kind, fileName, contentType, xml }: NewPart): void {
    const { main } = this.template.document;
    this.#count(xml.length);
    const name = this.#newParts.nameLike(`${folderOf(main)}${fileName}.xml`);
    const part = this.#newParts.add({ name, contentType, bytes: Buffer.from(xml), xml });
    const isStrict = this.template.stories.some(
      ({ part, dialect }) => part.key === main.key && dialect.isStrict,
    );
    this.#relateTo(this.#own(main), kind, part, isStrict);
  }

  /**
   * Copies the part to which a relationship of `source` leads, with the parts that it needs; images are shared. Returns
   * the id of the new relationship, and the copy. Undefined if the relationship does not lead to a part. Throws
   * OoxmlError DOCUMENT_TOO_COMPLEX if the document would have too many parts.
   */
  copyRelated(source: Part, id: string): { id: string; part: Part } | undefined {
    const relationship = source.relationships.list.find((candidate) => candidate.id === id);
    const original = this.template.document.parts.get(relationship?.part ?? '');
    if (relationship === undefined || original === undefined) return undefined;
    const part = this.#newParts.copy(original, this.template.document.parts);
    this.#count(part.xml?.length ?? 0);
    const { kind, type } = relationship;
    const copied = { kind, type, target: `/${part.name}`, isExternal: false, part: part.key };
    return { id: this.#indexOf(this.#own(source)).idOf(copied), part };
  }

  /**
   * Adds a part to which the relationship of `source` with this id leads from now on. The part to which it led goes
   * unless others need it. `name` is where the part would be if the name were free.
   */
  embed(source: Part, id: string, { name, contentType, bytes, kind, isStrict }: EmbeddedPart): void {
    this.#count(bytes.length);
    const part = this.#newParts.add({ name: this.#newParts.nameLike(name), contentType, bytes });
    const own = this.#own(source);
    const type = `${isStrict ? STRICT_RELATIONSHIPS : RELATIONSHIPS}/${kind}`;
    const added = { id, kind, type, target: `/${part.name}`, isExternal: false, part: part.key };
    const { list } = own.relationships;
    const replaced = list.find((relationship) => relationship.id === id)?.part;
    if (replaced !== undefined) this.#newParts.release(replaced);
    own.relationships = { list: [...list.filter((relationship) => relationship.id !== id), added] };
    this.#links.delete(own.key);
  }

  /** A unique id for `wp:docPr`. */
  nextDrawingId(): number {
    do this.#drawingId++;
    while (this.template.drawingIds.has(this.#drawingId));
    return this.#drawingId;
  }

  /** Whether the result differs from the template. */
  get isChanged(): boolean {
    return this.#isEdited || this.template.isNormalized;
  }

  /** The result, without fields that the values made active. Equal to the template's bytes if nothing changed. */
  build(): Buffer {
    this.#numbering?.write();
    this.#newParts.removeReleased();
    for (const [key, part] of this.#parts) {
      if (part === this.template.document.parts.get(key)) continue;
      const xml = withoutActiveFields(part, this.#dropped);
      if (xml !== undefined) this.#parts.set(key, rewritten(part, xml));
    }
    // A copy, because the receiver may transfer its memory to another thread.
    if (!this.isChanged) return Buffer.from(this.template.source);
    const document: OoxmlPackage = { ...this.template.document, parts: this.#parts };
    return patchPackage(document, { isCompressed: true, level: DEFLATE_LEVEL });
  }

  /** The editor's copy of a part. The template keeps the original. */
  #own(part: Part): Part {
    this.#isEdited = true;
    const known = this.#parts.get(part.key);
    if (known === undefined) throw new Error(`the template has no part ${part.name}`);
    if (known !== this.template.document.parts.get(part.key)) return known;
    const copy = { ...known, edits: [...known.edits] };
    this.#parts.set(part.key, copy);
    return copy;
  }

  #imageName({ bytes, extension }: ImageFile): string {
    const digest = createHash('sha256').update(bytes).digest('hex');
    const folder = folderOf(this.template.document.main);
    return `${folder}media/image-${digest.slice(0, 32)}.${extension}`;
  }

  /** The id of a relationship to a part of the document. */
  #relateTo(
    source: Part,
    kind: string,
    { key, name }: Pick<Part, 'key' | 'name'>,
    isStrict: boolean,
  ): string {
    const folder = folderOf(source);
    const target = name.startsWith(folder) ? name.slice(folder.length) : `/${name}`;
    return this.#relate(source, { kind, target, isExternal: false, part: key }, isStrict);
  }

  #relate(source: Part, added: Omit<Relationship, 'id' | 'type'>, isStrict: boolean): string {
    const type = `${isStrict ? STRICT_RELATIONSHIPS : RELATIONSHIPS}/${added.kind}`;
    return this.#indexOf(source).idOf({ ...added, type });
  }

  /** `source` is the editor's copy of a part. */
  #indexOf(source: Part): RelationshipIndex {
    const index = this.#links.get(source.key) ?? new RelationshipIndex(source);
    this.#links.set(source.key, index);
    return index;
  }

  /** Counts new text against the bound of XML. */
  #count(chars: number): void {
    this.reserve(chars);
    this.#chars += chars;
  }
}

/** The folder of a part, with its last slash. */
const folderOf = ({ name }: { name: string }): string => name.slice(0, name.lastIndexOf('/') + 1);

function rewritten({ entry: _, ...part }: Part, xml: string): Part {
  return { ...part, xml, bytes: Buffer.from(xml), edits: [] };
}
