import type { Dropped, Part } from '@scriptorium/ooxml/package';
import type { OpenTag, XmlVisitor } from '@scriptorium/ooxml/xml';

/** Attributes of a picture that name the relationship to its image, by element. */
const PICTURES: readonly (readonly [element: string, attributes: readonly string[]])[] = [
  ['a:blip', ['r:embed', 'r:link']],
  ['asvg:svgBlip', ['r:embed', 'r:link']],
  ['v:imagedata', ['r:id', 'r:pict', 'o:relid']],
  ['v:fill', ['r:id', 'o:relid']],
  ['v:stroke', ['r:id', 'o:relid']],
];
const SVG_PICTURE = 'asvg:svgBlip';

/** The image parts that the pictures of a document refer to. */
export class PictureReferences {
  readonly #kinds: ReadonlySet<string>;
  readonly #parts = new Set<string>();
  /** Images that a picture shows directly. */
  readonly #shown = new Set<string>();
  /** SVG images with a fallback image for readers without SVG. */
  readonly #extras = new Set<string>();
  /** Those of `#extras` that were omitted. */
  readonly #omitted = new Set<string>();

  /** `kinds` are the relationship types that may lead to an image. */
  constructor(kinds: ReadonlySet<string>) {
    this.#kinds = kinds;
  }

  add(part: string): void {
    this.#parts.add(part);
  }

  has(part: string): boolean {
    return this.#parts.has(part);
  }

  /** Whether every picture with this image has a fallback image. */
  hasFallback(part: string): boolean {
    const hasOne = this.#extras.has(part) && !this.#shown.has(part);
    if (hasOne) this.#omitted.add(part);
    return hasOne;
  }

  visitor(part: Part, dropped: Dropped[]): XmlVisitor {
    const byId = new Map(part.relationships.list.map((relationship) => [relationship.id, relationship]));
    let fallback: string | undefined;
    const open = (tag: OpenTag, attributes: readonly string[]) => {
      for (const name of attributes) {
        const relationship = byId.get(tag.attribute(name) ?? '');
        if (relationship?.part === undefined) continue;
        if (!this.#kinds.has(relationship.kind)) {
          // Only image relationships are inspected as images, so a picture must not refer to another type.
          part.relationships.list = part.relationships.list.filter((other) => other !== relationship);
          delete part.relationships.entry;
          dropped.push({ what: 'image', part: part.name, detail: relationship.target });
        } else if (tag.name === SVG_PICTURE && fallback !== undefined && fallback !== relationship.part)
          this.#extras.add(relationship.part);
        else this.#show(relationship.part, part, dropped);
      }
    };
    return Object.fromEntries(
      PICTURES.map(([element, attributes]) => [
        element,
        {
          open: (tag: OpenTag) => {
            if (element === 'a:blip') fallback = byId.get(tag.attribute('r:embed') ?? '')?.part;
            open(tag, attributes);
          },
        },
      ]),
    );
  }

  #show(image: string, part: Part, dropped: Dropped[]): void {
    this.#shown.add(image);
    if (this.#omitted.has(image)) dropped.push({ what: 'SVG image', part: part.name, detail: image });
  }
}
