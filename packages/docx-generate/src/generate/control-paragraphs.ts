import type { Story } from '@scriptorium/docx-template/template';
import { childOf, descendantsOf, type XmlNode } from '@scriptorium/ooxml/xml';
import type { Block } from './blocks.ts';
import type { FoundMark } from './instruction.ts';
import { around, spanOf } from './span.ts';

/** Elements of a paragraph that show nothing. */
const UNSEEN = new Set([
  'w:pPr',
  'w:rPr',
  'w:r',
  'w:t',
  'w:hyperlink',
  'w:ins',
  'w:smartTag',
  'w:smartTagPr',
  'w:lastRenderedPageBreak',
]);
const PROPERTIES = new Set(['w:pPr', 'w:rPr', 'w:smartTagPr']);

/** The paragraphs that hold only marks of blocks and comments. They go when the document is generated. */
export class ControlParagraphs {
  readonly #story: Story;
  readonly #paragraphs: Set<XmlNode>;

  constructor(story: Story, marks: readonly FoundMark[], blocks: readonly Block[]) {
    this.#story = story;
    const byParagraph = new Map<XmlNode, FoundMark[]>();
    for (const mark of marks) {
      if (mark.instruction.type === 'attached' || mark.place.kind === 'comment') continue;
      const paragraph = around(spanOf(mark).first, 'w:p');
      if (paragraph !== undefined) addTo(byParagraph, paragraph, mark);
    }
    const found = [...byParagraph].filter(([paragraph, own]) => holdsOnly(story, paragraph, own));
    this.#paragraphs = new Set(found.map(([paragraph]) => paragraph));
    this.#removePartial(blocks);
  }

  has(paragraph: XmlNode): boolean {
    return this.#paragraphs.has(paragraph);
  }

  get all(): Iterable<XmlNode> {
    return this.#paragraphs;
  }

  /** Whether a paragraph, cell or row shows nothing but marks of blocks, and at least one. */
  holdsOnlyMarks(node: XmlNode): boolean {
    if (node.name === 'w:p') return this.has(node);
    let marked = 0;
    for (const inner of descendantsOf(node, ({ name }) => name === 'w:p')) {
      if (inner.name !== 'w:p') continue;
      if (this.has(inner)) marked++;
      else if (!showsOnly(this.#story, inner, [])) return false;
    }
    return marked > 0;
  }

  /**
   * A paragraph goes only if the other marks of its blocks have such paragraphs too, as siblings or in the cells of one
   * table. Otherwise the block divides its text.
   */
  #removePartial(blocks: readonly Block[]): void {
    const groups = blocks.map(({ branches, close }) =>
      [...branches.map(({ mark }) => mark), close].map((mark) => around(spanOf(mark).first, 'w:p')),
    );
    const byParagraph = new Map<XmlNode, (XmlNode | undefined)[][]>();
    for (const group of groups)
      for (const paragraph of new Set(group))
        if (paragraph !== undefined) addTo(byParagraph, paragraph, group);
    const waiting = [...groups];
    for (let group = waiting.pop(); group !== undefined; group = waiting.pop()) {
      if (this.#isWhole(group)) continue;
      for (const paragraph of group)
        if (paragraph !== undefined && this.#paragraphs.delete(paragraph))
          waiting.push(...(byParagraph.get(paragraph) ?? []));
    }
  }

  #isWhole(group: readonly (XmlNode | undefined)[]): boolean {
    const own = group.filter((paragraph) => paragraph !== undefined);
    if (own.some((paragraph) => paragraph.parent !== own[0]?.parent))
      return own.some((paragraph) => around(paragraph, 'w:tc') !== undefined);
    return own.length === group.length && own.every((paragraph) => this.has(paragraph));
  }
}

/** Whether a paragraph shows only these marks, each of a block or a comment. */
function holdsOnly(story: Story, paragraph: XmlNode, marks: readonly FoundMark[]): boolean {
  const isOther = marks.some(({ instruction }) => /^(?:value|set|cell)$/.test(instruction.type));
  return !isOther && showsOnly(story, paragraph, marks);
}

/** Whether a paragraph shows only these marks and white space. */
export function showsOnly(story: Story, paragraph: XmlNode, marks: readonly FoundMark[]): boolean {
  const pieces = marks.flatMap(({ place }) => (place.kind === 'text' ? place.pieces : []));
  const whole = new Set(
    marks.flatMap(({ place }) => {
      if (place.kind === 'text') return place.breaks ?? [];
      return place.kind === 'field' ? place.nodes : place.anchors;
    }),
  );
  let chars = 0;
  for (const node of descendantsOf(paragraph, (inner) => PROPERTIES.has(inner.name) || whole.has(inner))) {
    if (whole.has(node)) continue;
    if (node.name === 'w:t') chars += shownChars(story, node.openEnd, node.closeStart);
    // Range marks and proofing marks are empty elements outside runs.
    else if (!UNSEEN.has(node.name) && (node.parent?.name === 'w:r' || node.children.length > 0))
      return false;
  }
  const marked = pieces.reduce((sum, { start, end }) => sum + shownChars(story, start, end), 0);
  return chars === marked;
}

/** Adds an item to the list of a key. */
export function addTo<Key, Item>(map: Map<Key, Item[]>, key: Key, item: Item): void {
  const known = map.get(key);
  if (known === undefined) map.set(key, [item]);
  else known.push(item);
}

function shownChars({ xml }: Story, start: number, end: number): number {
  return xml.slice(start, end).replace(/\s/g, '').length;
}

/** Whether the paragraph ends a section. */
export function endsSection(paragraph: XmlNode): boolean {
  const properties = childOf(paragraph, 'w:pPr');
  return properties !== undefined && childOf(properties, 'w:sectPr') !== undefined;
}
