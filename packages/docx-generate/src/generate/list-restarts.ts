import type { Story } from '@scriptorium/docx-template/template';
import { attributeOf, childOf, descendantsOf, type XmlNode } from '@scriptorium/ooxml/xml';
import type { Loop, LoopTree } from './loop-tree.ts';

/** The paragraphs of one list in a story. */
interface List {
  first: number;
  last: number;
  count: number;
  /** Loops around its deepest paragraph. */
  depth: number;
}

/**
 * The lists that start anew in each copy, with the depth of the loop that makes the copies. A copy begins a list if it
 * holds the list whole, has other text too, and has several items of it. A loop whose copies are single items, or nothing
 * but items, continues the list.
 */
export function restartingLists(story: Story, loops: LoopTree): Map<string, number> {
  const lists = new Map<string, List>();
  const others = new Map<Loop, Map<string, number>>();
  for (const node of descendantsOf(story.root)) {
    if (node.name !== 'w:p') continue;
    const number = numberOf(node);
    if (number !== undefined) addItem(lists, number, node, loops);
    // Counts the paragraphs with text, of each list and of none, in each loop around them.
    if (!showsText(node)) continue;
    for (let loop = loops.at(node.start); loop !== undefined; loop = loop.outer) {
      const counts = others.get(loop) ?? new Map<string, number>();
      others.set(loop, counts);
      for (const key of ['', number ?? 'none']) counts.set(key, (counts.get(key) ?? 0) + 1);
    }
  }
  const restarting = new Map<string, number>();
  for (const [number, list] of lists) {
    const depth = depthOf(number, list, loops, others);
    if (depth !== undefined) restarting.set(number, depth);
  }
  return restarting;
}

function addItem(lists: Map<string, List>, number: string, { start }: XmlNode, loops: LoopTree): void {
  const depth = loops.depthAt(start);
  const list = lists.get(number) ?? { first: start, last: start, count: 0, depth };
  lists.set(number, { ...list, last: start, count: list.count + 1, depth: Math.max(list.depth, depth) });
}

function depthOf(
  number: string,
  { first, last, count, depth }: List,
  loops: LoopTree,
  shown: ReadonlyMap<Loop, ReadonlyMap<string, number>>,
): number | undefined {
  for (let loop = loops.at(first); loop !== undefined; loop = loop.outer) {
    const counts = shown.get(loop);
    const hasOther = (counts?.get('') ?? 0) > (counts?.get(number) ?? 0);
    const hasSeveral = count > 1 || depth > loop.depth;
    if (loop.end > last && hasOther && hasSeveral) return loop.depth;
  }
  return undefined;
}

function numberOf(paragraph: XmlNode): string | undefined {
  const properties = childOf(paragraph, 'w:pPr');
  const numbering = properties && childOf(properties, 'w:numPr');
  const id = numbering && childOf(numbering, 'w:numId');
  const value = id && attributeOf(id, 'w:val');
  return value === '0' ? undefined : value;
}

function showsText(paragraph: XmlNode): boolean {
  for (const { name, openEnd, closeStart } of descendantsOf(paragraph))
    if (name === 'w:t' && openEnd < closeStart) return true;
  return false;
}
