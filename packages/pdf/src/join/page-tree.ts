import { malformed, tooComplex } from '../pdf-error.ts';
import { BOUNDS } from '../read/bounds.ts';
import type { PdfDocument } from '../read/document.ts';
import { Dict, isName, type PdfValue, Ref } from '../read/values.ts';
import type { NewFile } from '../write/new-file.ts';
import { chunks } from './trees.ts';

/** ISO 32000-2, table 31. */
const INHERITED = ['Resources', 'MediaBox', 'CropBox', 'Rotate'] as const;
type Inherited = Partial<Record<(typeof INHERITED)[number], PdfValue>>;

export interface SourcePage {
  ref: Ref;
  dict: Dict;
  /** The attributes that the page has, own or inherited, without resolving references. */
  attributes: Inherited;
}

/**
 * Returns all pages in order, and the numbers of the nodes above them. Throws INVALID_FILE_FORMAT for a page tree that is
 * circular, has a page twice or lacks an object, because then readers differ in its pages.
 */
export function readPages(document: PdfDocument): { pages: SourcePage[]; nodes: number[] } {
  const pages: SourcePage[] = [];
  const nodes: number[] = [];
  const seen = new Set<number>();
  const stack: { value: PdfValue; above: Inherited; depth: number }[] = [
    { value: document.catalog.value.get('Pages'), above: {}, depth: 0 },
  ];
  for (let next = stack.pop(); next; next = stack.pop()) {
    const { value: ref, above, depth } = next;
    const dict = document.resolve(ref);
    if (!(ref instanceof Ref) || !(dict instanceof Dict))
      throw malformed('an object of its page tree is missing');
    if (seen.has(ref.num) || depth > BOUNDS.depthMax) throw malformed('its page tree is circular');
    if (seen.size >= BOUNDS.pageNodesMax) throw tooComplex(`more than ${BOUNDS.pageNodesMax} pages`);
    seen.add(ref.num);
    const attributes = { ...above };
    for (const key of INHERITED) if (document.get(dict, key) !== null) attributes[key] = dict.get(key);
    const kids = document.get(dict, 'Kids');
    if (Array.isArray(kids)) {
      nodes.push(ref.num);
      for (const kid of kids.toReversed()) stack.push({ value: kid, above: attributes, depth: depth + 1 });
    } else if (isName(document.get(dict, 'Type'), 'Pages'))
      throw malformed('a node of its page tree has no kids');
    else pages.push({ ref, dict, attributes });
  }
  return { pages, nodes };
}

const KIDS_MAX = 64;

/** The balanced page tree of the result. */
export class PageTree {
  readonly root: number;
  readonly #file: NewFile;
  readonly #leaves: { num: number; kids: number[] }[] = [];
  count = 0;

  constructor(file: NewFile) {
    this.#file = file;
    this.root = file.reserve();
  }

  /** Adds a page, and returns the number of its parent. */
  add(page: number): number {
    const last = this.#leaves.at(-1);
    const leaf = last && last.kids.length < KIDS_MAX ? last : { num: this.#file.reserve(), kids: [] };
    if (leaf !== last) this.#leaves.push(leaf);
    leaf.kids.push(page);
    this.count++;
    return leaf.num;
  }

  finish(): void {
    let level = this.#leaves.map(({ num, kids }) => ({ num, kids, count: kids.length }));
    while (level.length > 0) {
      const groups = chunks(level, KIDS_MAX);
      const parents = groups.length === 1 ? [this.root] : groups.map(() => this.#file.reserve());
      const above = groups.map((group, index) => {
        const num = parents[index] ?? this.root;
        for (const node of group) this.#file.write(node.num, nodeText(node, num));
        const count = group.reduce((sum, node) => sum + node.count, 0);
        return { num, kids: group.map((node) => node.num), count };
      });
      const [top] = above;
      if (above.length === 1 && top) {
        this.#file.write(this.root, nodeText(top));
        return;
      }
      level = above;
    }
  }
}

function nodeText({ kids, count }: { kids: readonly number[]; count: number }, parent?: number): string {
  const list = kids.map((num) => `${num} 0 R`).join(' ');
  return `<</Type/Pages${parent === undefined ? '' : `/Parent ${parent} 0 R`}/Kids[${list}]/Count ${count}>>`;
}
