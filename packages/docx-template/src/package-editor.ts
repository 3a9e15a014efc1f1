import { createHash } from 'node:crypto';
import type { ImageFile } from '@scriptorium/images/picture';
import { BOUNDS, boundPassed } from '@scriptorium/ooxml/bounds';
import {
  type OoxmlPackage,
  type Part,
  patchPackage,
  type Relationship,
  type Relationships,
} from '@scriptorium/ooxml/package';
import type { Edit } from '@scriptorium/ooxml/xml';
import { RemainingRows } from './fields/table/remaining-rows.ts';
import { Replaced } from './replaced.ts';
import type { Story } from './template/story.ts';
import type { Template } from './template/template.ts';

/** Fast: a higher level costs more time here than the smaller file saves on the network. */
const DEFLATE_LEVEL = 3;
const STRICT_RELATIONSHIPS = 'http://purl.oclc.org/ooxml/officeDocument/relationships';
const RELATIONSHIPS = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships';

/** Collects changes to a template and writes the result. The template itself does not change. */
export class PackageEditor {
  readonly template: Template;
  /** The controls will be removed, and only their content will stay. */
  readonly isFlattened: boolean;
  /** A table was filled whose template row is not marked. */
  guessesRow = false;
  readonly rows = new RemainingRows();
  readonly replaced = new Replaced();
  readonly #parts: Map<string, Part>;
  /** Part names by image. A document may show one image a thousand times. */
  readonly #imageNames = new Map<Buffer, string>();
  #drawingId = 0;
  #isEdited = false;
  #chars = 0;

  constructor(template: Template, isFlattened = false) {
    this.template = template;
    this.isFlattened = isFlattened;
    this.#parts = new Map(template.document.parts);
  }

  /** Replaces text of a part, by offsets in the template. Throws like `reserve`. */
  edit(story: Pick<Story, 'part'>, edit: Edit): void {
    this.#chars += edit.text.length;
    this.reserve(0);
    this.#own(story.part).edits.push(edit);
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
    return this.#relate(this.#own(story.part), key, name, story.dialect.isStrict);
  }

  /** The id of a relationship from a story to a web or mail address. */
  addLink(story: Story, address: string): string {
    const source = this.#own(story.part);
    const kind = 'hyperlink';
    const known = source.relationships.list.find(
      (relationship) =>
        relationship.kind === kind && relationship.isExternal && relationship.target === address,
    );
    if (known !== undefined) return known.id;
    const type = `${story.dialect.isStrict ? STRICT_RELATIONSHIPS : RELATIONSHIPS}/${kind}`;
    return addRelationship(source, { type, kind, target: address, isExternal: true });
  }

  restartedList(value: string): string {
    return value;
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

  /** The result. Equal to the template's bytes if nothing changed. */
  build(): Buffer {
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
    const folder = this.template.document.main.name.replace(/[^/]*$/, '');
    return `${folder}media/image-${digest.slice(0, 32)}.${extension}`;
  }

  #relate(source: Part, key: string, name: string, isStrict: boolean): string {
    const { list } = source.relationships;
    const known = list.find((relationship) => relationship.part === key && relationship.kind === 'image');
    if (known !== undefined) return known.id;
    const type = `${isStrict ? STRICT_RELATIONSHIPS : RELATIONSHIPS}/image`;
    const folder = source.name.replace(/[^/]*$/, '');
    const target = name.startsWith(folder) ? name.slice(folder.length) : `/${name}`;
    return addRelationship(source, { type, kind: 'image', target, isExternal: false, part: key });
  }
}

/** Returns the new id. */
function addRelationship(source: Part, added: Omit<Relationship, 'id'>): string {
  const { list } = source.relationships;
  const ids = new Set(list.map(({ id }) => id));
  let number = list.length + 1;
  while (ids.has(`rId${number}`)) number++;
  const id = `rId${number}`;
  const relationships: Relationships = { list: [...list, { id, ...added }] };
  source.relationships = relationships;
  return id;
}
