import { BOUNDS, boundPassed } from '@scriptorium/ooxml/bounds';
import type { Part, Relationship } from '@scriptorium/ooxml/package';

/** Parts that a filled document has besides those of its template, and parts that it no longer needs. */
export class NewParts {
  readonly #parts: Map<string, Part>;
  readonly #archive: ReadonlyMap<string, unknown>;
  /** The number of the last part, by the name without a number. */
  readonly #numbers = new Map<string, number>();
  readonly #released = new Set<string>();
  /** ZIP entries, and bytes of copies that are not XML. */
  #entries: number;
  #bytes = 0;

  /** `parts` are all parts of the document, to which new ones are added. */
  constructor(parts: Map<string, Part>, archive: ReadonlyMap<string, unknown>) {
    this.#parts = parts;
    this.#archive = archive;
    this.#entries = archive.size;
  }

  /** This name if it is free, else one with the next number: `word/charts/chart2.xml`. */
  nameLike(name: string): string {
    if (this.#isFree(name)) return name;
    const [, stem = '', extension = ''] = /^(.*?)\d*(\.[^./]*)?$/s.exec(name) ?? [];
    const key = `${stem}${extension}`.toLowerCase();
    let number = this.#numbers.get(key) ?? 1;
    do number++;
    while (!this.#isFree(`${stem}${number}${extension}`));
    this.#numbers.set(key, number);
    return `${stem}${number}${extension}`;
  }

  /** Parts to which no relationship leads are in the archive, but not among the parts. */
  #isFree(name: string): boolean {
    const key = name.toLowerCase();
    return !this.#parts.has(key) && !this.#archive.has(key);
  }

  add({ name, ...content }: Pick<Part, 'name' | 'contentType' | 'bytes' | 'xml' | 'entry'>): Part {
    // A part may get relationships, which are an entry of their own.
    this.#entries += 2;
    if (this.#entries > BOUNDS.zipEntriesMax) throw boundPassed('zipEntriesMax');
    const part: Part = { key: name.toLowerCase(), name, ...content, edits: [], relationships: { list: [] } };
    this.#parts.set(part.key, part);
    return part;
  }

  /** Copies a part of the template and the parts to which its relationships lead. Images are shared. */
  copy(original: Part, parts: ReadonlyMap<string, Part>): Part {
    const copies = new Map<string, Part>();
    const copyOf = (source: Part): Part => {
      const known = copies.get(source.key);
      if (known !== undefined) return known;
      const { name, contentType, bytes, xml, entry } = source;
      this.#bytes += bytes.length;
      if (this.#bytes > BOUNDS.inflatedBytesMax) throw boundPassed('inflatedBytesMax');
      const content = { contentType, bytes, ...(xml !== undefined && { xml }), ...(entry && { entry }) };
      const copy = this.add({ name: this.nameLike(name), ...content });
      copies.set(source.key, copy);
      waiting.push([source, copy]);
      return copy;
    };
    const waiting: [Part, Part][] = [];
    const first = copyOf(original);
    for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
      const [source, copy] = next;
      copy.relationships = {
        list: source.relationships.list.map((relationship): Relationship => {
          const target = relationship.kind === 'image' ? undefined : parts.get(relationship.part ?? '');
          if (relationship.part === undefined) return relationship;
          const part = target === undefined ? this.#parts.get(relationship.part) : copyOf(target);
          return part === undefined
            ? relationship
            : { ...relationship, target: `/${part.name}`, part: part.key };
        }),
      };
    }
    return first;
  }

  /** A relationship no longer leads to this part. */
  release(key: string): void {
    this.#released.add(key);
  }

  /** Removes released parts to which no relationship leads any more. */
  removeReleased(): void {
    if (this.#released.size === 0) return;
    for (const { relationships } of this.#parts.values())
      for (const { part } of relationships.list) if (part !== undefined) this.#released.delete(part);
    for (const key of this.#released) this.#parts.delete(key);
  }
}
