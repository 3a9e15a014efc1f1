import { createHash } from 'node:crypto';
import type { ImageFile } from '@scriptorium/images/picture';
import { BOUNDS, boundPassed } from '@scriptorium/ooxml/bounds';
import { type OoxmlPackage, type Part, patchPackage, type Relationships } from '@scriptorium/ooxml/package';
import type { Edit } from '@scriptorium/ooxml/xml';
import { RemainingRows } from './fields/table/remaining-rows.ts';
import { Replaced } from './replaced.ts';
import type { Story } from './template/story.ts';
import type { Template } from './template/template.ts';

/** Fast: what a smaller file saves a network, a higher level costs here several times. */
const DEFLATE_LEVEL = 3;
const STRICT_RELATIONSHIPS = 'http://purl.oclc.org/ooxml/officeDocument/relationships';
const RELATIONSHIPS = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships';

/** A document in the making: a template, and the changes to it, which leave the template as it is. */
export class PackageEditor {
  readonly template: Template;
  /** The controls will be taken away, and only what they show will stay. */
  readonly isFlattened: boolean;
  readonly rows = new RemainingRows();
  readonly replaced = new Replaced();
  readonly #parts: Map<string, Part>;
  /** Of the parts of images; a document may show one a thousand times. */
  readonly #imageNames = new Map<Buffer, string>();
  #drawingId = 0;
  #isEdited = false;
  #chars = 0;

  constructor(template: Template, isFlattened = false) {
    this.template = template;
    this.isFlattened = isFlattened;
    this.#parts = new Map(template.document.parts);
  }

  /** Replaces text of a part by its place in the template. Throws as `reserve` does. */
  edit(story: Pick<Story, 'part'>, edit: Edit): void {
    this.#chars += edit.text.length;
    this.reserve(0);
    this.#own(story.part).edits.push(edit);
  }

  /**
   * To be asked before much text is made, for values may be short and many. Throws TemplateError DOCUMENT_TOO_COMPLEX where
   * the new text of the document would be longer than its XML may be.
   */
  reserve(chars: number): void {
    if (this.#chars + chars > BOUNDS.xmlBytesMax) throw boundPassed('xmlBytesMax');
  }

  /** The whole text of a part anew. */
  rewrite(part: Part, xml: string): void {
    const own = this.#own(part);
    own.xml = xml;
    own.bytes = Buffer.from(xml);
    delete own.entry;
  }

  /** The text of a part as it would be written now. */
  textOf(part: Part): string {
    return this.#parts.get(part.key)?.xml ?? '';
  }

  /** The relationship of a story to an image; one part holds the same bytes, however often they are asked for. */
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

  /** An id for `wp:docPr` that no other drawing has. */
  nextDrawingId(): number {
    do this.#drawingId++;
    while (this.template.drawingIds.has(this.#drawingId));
    return this.#drawingId;
  }

  /** Whether the finished file is another one than the template. */
  get isChanged(): boolean {
    return this.#isEdited || this.template.isNormalised;
  }

  /** The finished file; bytes as the template's where nothing was changed. */
  build(): Buffer {
    // A copy: whoever gets it may move its memory to another thread, and the template is still needed.
    if (!this.isChanged) return Buffer.from(this.template.source);
    const document: OoxmlPackage = { ...this.template.document, parts: this.#parts };
    return patchPackage(document, { isCompressed: true, level: DEFLATE_LEVEL });
  }

  /** The editor's own copy of a part, of which the template keeps the original. */
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
    const ids = new Set(list.map(({ id }) => id));
    let number = list.length + 1;
    while (ids.has(`rId${number}`)) number++;
    const id = `rId${number}`;
    const type = `${isStrict ? STRICT_RELATIONSHIPS : RELATIONSHIPS}/image`;
    const folder = source.name.replace(/[^/]*$/, '');
    const target = name.startsWith(folder) ? name.slice(folder.length) : `/${name}`;
    const added = { id, type, kind: 'image', target, isExternal: false, part: key };
    const relationships: Relationships = { list: [...list, added] };
    source.relationships = relationships;
    return id;
  }
}
