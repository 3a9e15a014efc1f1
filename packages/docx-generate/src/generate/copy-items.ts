import type { Story } from '@scriptorium/docx-template/template';
import { attributeOf, decodeReferences, descendantsOf, type XmlNode } from '@scriptorium/ooxml/xml';
import type { LoopNotes } from './copied-notes.ts';
import { type Item, RANKS } from './items.ts';
import { restartingLists } from './list-restarts.ts';
import { type Extent, LoopTree } from './loop-tree.ts';
import type { CopyOp, NoteOp } from './program.ts';

/** Attributes whose value must be unique in a document, by element. */
const IDENTIFIERS: ReadonlyMap<string, readonly [attribute: string, what: CopyOp['what']]> = new Map([
  ['w:p', ['w14:paraId', 'paragraph']],
  ['w:tr', ['w14:paraId', 'paragraph']],
  ['wp:docPr', ['id', 'drawing']],
  ['v:shape', ['id', 'bookmark']],
  ['v:rect', ['id', 'bookmark']],
  ['v:roundrect', ['id', 'bookmark']],
  ['v:oval', ['id', 'bookmark']],
  ['v:line', ['id', 'bookmark']],
  ['v:group', ['id', 'bookmark']],
  // An object and a form control name the shape that shows them.
  ['o:OLEObject', ['ShapeID', 'bookmark']],
  ['w:control', ['w:shapeid', 'bookmark']],
]);
const NOTES: ReadonlyMap<string, NoteOp['notes']> = new Map([
  ['w:footnoteReference', 'footnote'],
  ['w:endnoteReference', 'endnote'],
  ['w:commentReference', 'comment'],
  ['w:commentRangeStart', 'comment'],
  ['w:commentRangeEnd', 'comment'],
]);
/** Fields that name a bookmark (ECMA-376-1 §17.16.5). */
const REFERENCE = /^(\s*(?:REF|PAGEREF|NOTEREF|STYLEREF)\s+"?|[\s\S]*?\\l\s+"?)([^\s"\\]+)/i;

/** The items of identifiers inside loops, of which each copy gets its own. */
export function copyItems(story: Story, loops: readonly Extent[], notes: LoopNotes): Item[] {
  if (loops.length === 0) return [];
  return new CopyFinder(story, loops, notes).items();
}

class CopyFinder {
  readonly #story: Story;
  readonly #loops: LoopTree;
  /** The depth of the loop in which a list starts anew, by its number. */
  readonly #lists: ReadonlyMap<string, number>;
  readonly #notes: LoopNotes;
  /** The bookmarks inside loops: the loop around each start, by id and by name. */
  readonly #byId = new Map<string, number>();
  readonly #byName = new Map<string, number>();

  constructor(story: Story, loops: readonly Extent[], notes: LoopNotes) {
    this.#story = story;
    this.#notes = notes;
    this.#loops = new LoopTree(loops);
    this.#lists = restartingLists(story, this.#loops);
  }

  items(): Item[] {
    const nodes = [...descendantsOf(this.#story.root)].filter(({ start }) => this.#loops.depthAt(start) > 0);
    const ends = new Map<string, number>();
    for (const node of nodes)
      if (node.name === 'w:bookmarkEnd')
        ends.set(attributeOf(node, 'w:id') ?? '', this.#loops.depthAt(node.start));
    for (const node of nodes) {
      const id = attributeOf(node, 'w:id') ?? '';
      const depth = this.#loops.depthAt(node.start);
      if (node.name !== 'w:bookmarkStart' || ends.get(id) !== depth) continue;
      this.#byId.set(id, depth);
      this.#byName.set(attributeOf(node, 'w:name') ?? '', depth);
    }
    return nodes.flatMap((node) => this.#itemsOf(node));
  }

  #itemsOf(node: XmlNode): Item[] {
    const known = IDENTIFIERS.get(node.name);
    if (known !== undefined) return this.#attribute(node, known[0], known[1]);
    const notes = NOTES.get(node.name);
    if (notes !== undefined) return this.#note(node, notes);
    switch (node.name) {
      case 'w:id':
        return node.parent?.name === 'w:sdtPr' ? this.#attribute(node, 'w:val', 'control') : [];
      case 'w:numId':
        return this.#attribute(node, 'w:val', 'list', this.#lists.get(attributeOf(node, 'w:val') ?? '') ?? 0);
      case 'w:bookmarkStart':
      case 'w:bookmarkEnd':
        return this.#bookmark(node);
      case 'w:hyperlink':
        return this.#attribute(
          node,
          'w:anchor',
          'bookmark',
          this.#byName.get(attributeOf(node, 'w:anchor') ?? '') ?? 0,
        );
      case 'w:instrText':
        return this.#instruction(node);
      default:
        return [];
    }
  }

  #attribute(
    node: XmlNode,
    name: string,
    what: CopyOp['what'],
    depth = this.#loops.depthAt(node.start),
  ): Item[] {
    const attribute = node.attributes.find((candidate) => candidate.name === name);
    if (attribute === undefined || depth === 0) return [];
    const source = this.#story.xml.slice(node.start + attribute.start, node.start + attribute.end);
    const start = node.start + attribute.start + source.search(/["']/) + 1;
    const op: CopyOp = { kind: 'copy', what, value: attribute.value, depth };
    return [{ start, end: node.start + attribute.end - 1, rank: RANKS.leaf, make: () => op }];
  }

  #bookmark(node: XmlNode): Item[] {
    const depth = this.#byId.get(attributeOf(node, 'w:id') ?? '');
    if (depth !== undefined)
      return [
        ...this.#attribute(node, 'w:id', 'range', depth),
        ...this.#attribute(node, 'w:name', 'bookmark', depth),
      ];
    // Its other end is outside of the loop, so only the first copy can have it.
    const { start, end } = node;
    const value = this.#story.xml.slice(start, end);
    const op: CopyOp = { kind: 'copy', what: 'first', value, depth: this.#loops.depthAt(start) };
    return [{ start, end, rank: RANKS.leaf, make: () => op }];
  }

  #note(node: XmlNode, notes: NoteOp['notes']): Item[] {
    const [item] = this.#attribute(node, 'w:id', 'range');
    const id = attributeOf(node, 'w:id');
    if (item === undefined || id === undefined) return [];
    this.#notes.refer(notes, id);
    const op: NoteOp = { kind: 'note', notes, id, depth: this.#loops.depthAt(node.start) };
    return [{ ...item, make: () => op }];
  }

  #instruction({ openEnd, closeStart }: XmlNode): Item[] {
    const source = this.#story.xml.slice(openEnd, closeStart);
    const [, before = '', name = ''] = REFERENCE.exec(source) ?? [];
    const depth = this.#byName.get(decodeReferences(name));
    if (depth === undefined) return [];
    const start = openEnd + before.length;
    const op: CopyOp = { kind: 'copy', what: 'bookmark', value: name, depth };
    return [{ start, end: start + name.length, rank: RANKS.leaf, make: () => op }];
  }
}
