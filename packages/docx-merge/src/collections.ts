import type { Part } from '@scriptorium/ooxml/package';
import { cut } from './edits.ts';
import type { Importer } from './importer.ts';
import { isSeparator } from './notes.ts';
import type { Block } from './part-facts.ts';
import { withNames } from './root-names.ts';
import { partOf, type Source, scanOf } from './source.ts';
import type { MergeTarget } from './target.ts';

/** Parts of a document with a list of entries, by the kind of their relationship, and which entries are imported. */
const KINDS: Record<string, 'notes' | 'all' | 'new'> = {
  footnotes: 'notes',
  endnotes: 'notes',
  comments: 'all',
  commentsExtended: 'all',
  commentsIds: 'all',
  commentsExtensible: 'all',
  people: 'new',
  fontTable: 'new',
};

/** Adds the notes, comments, authors and fonts of documents to those of the first. */
export class Collections {
  readonly #target: MergeTarget;
  /** Names of the entries of lists in which each name stands once. */
  readonly #known = new Map<Part, Set<string>>();

  constructor(target: MergeTarget) {
    this.#target = target;
  }

  add(source: Source, importer: Importer): void {
    for (const [kind, which] of Object.entries(KINDS)) {
      const part = partOf(source, kind);
      if (part?.xml !== undefined && scanOf(source, part).body !== undefined)
        this.#addPart(kind, which, part, source, importer);
    }
    const glossary = partOf(source, 'glossaryDocument');
    if (glossary?.xml !== undefined) this.#addGlossary(glossary, source, importer);
  }

  #addPart(
    kind: string,
    which: 'notes' | 'all' | 'new',
    part: Part,
    source: Source,
    importer: Importer,
  ): void {
    const isNew = partOf(this.#target.first, kind) === undefined && !this.#made.has(kind);
    const collection = this.#target.collection(kind, source, part);
    const names = this.#target.addNames(collection, source, part);
    if (isNew) this.#made.add(kind);
    const { blocks } = scanOf(source, part);
    const isWanted = (block: Block): boolean => {
      if (which === 'notes') return isNew || !isSeparator(block.type);
      return which === 'all' || this.#isUnknown(collection, kind, nameOf(part, block));
    };
    const idOf = importer.relationships(part, collection);
    const xml = part.xml ?? '';
    const edits = importer.styledEdits(part, idOf).toSorted((a, b) => a.start - b.start);
    // Separators keep their ids, which the settings name.
    for (const block of blocks.filter(isWanted)) {
      const own = which === 'notes' && isSeparator(block.type) ? [] : slice(edits, block);
      this.#target.append(collection, withNames(cut(xml, own, block.start, block.end), names));
    }
  }

  readonly #made = new Set<string>();

  #isUnknown(collection: Part, kind: string, name: string): boolean {
    const known = this.#known.get(collection) ?? this.#namesIn(kind);
    this.#known.set(collection, known);
    const isNew = !known.has(name);
    known.add(name);
    return isNew;
  }

  #namesIn(kind: string): Set<string> {
    const { first } = this.#target;
    const part = partOf(first, kind);
    // A part that a later document has added is not among those that were read.
    const scan = part && first.scans.get(part.key);
    return new Set(scan?.blocks.map((block) => nameOf(part as Part, block)));
  }

  /** The glossary has the placeholders of content controls, which are found by their names. */
  #addGlossary(part: Part, source: Source, importer: Importer): void {
    const { first, main } = this.#target;
    const own = partOf(first, 'glossaryDocument');
    if (own === undefined && !this.#made.has('glossaryDocument')) {
      this.#made.add('glossaryDocument');
      const [relationship] = source.document.main.relationships.list.filter(
        ({ kind }) => kind === 'glossaryDocument',
      );
      if (relationship === undefined) return;
      this.#target.relate(main, {
        type: relationship.type,
        kind: relationship.kind,
        to: importer.copy(part),
      });
      return;
    }
    if (own?.xml === undefined || scanOf(first, own).body === undefined) return;
    const names = this.#target.addNames(own, source, part);
    const idOf = importer.relationships(part, own);
    const xml = part.xml ?? '';
    const scan = scanOf(source, part);
    const edits = scan.sites
      .filter(({ kind }) => kind === 'relationship')
      .map(({ start, end, value }) => ({ start, end, text: idOf(value) }));
    for (const block of scan.blocks)
      if (this.#isUnknown(own, 'glossaryDocument', nameOf(part, block)))
        this.#target.append(own, withNames(cut(xml, slice(edits, block), block.start, block.end), names));
  }
}

/** The edits inside a block, of edits in the order of their positions. */
function slice<T extends { start: number; end: number }>(edits: readonly T[], { start, end }: Block): T[] {
  let [low, high] = [0, edits.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((edits[middle]?.start ?? 0) < start) low = middle + 1;
    else high = middle;
  }
  const found: T[] = [];
  for (let at = low; at < edits.length; at++) {
    const edit = edits[at];
    if (edit === undefined || edit.start > end) break;
    if (edit.end <= end) found.push(edit);
  }
  return found;
}

/** What identifies an entry: its name, or its text. */
function nameOf(part: Part, { key, start, end }: Block): string {
  return (key ?? part.xml?.slice(start, end) ?? '').toLowerCase();
}
