import { NAMESPACES, XML_DECLARATION, type XmlNode } from '@scriptorium/ooxml/xml';
import { MergedRoot, namespacesOf, withNames } from '../root-names.ts';
import type { Tree } from './tree.ts';

/** A part of the merged document to which entries of others are added. */
export class Book {
  readonly #tree: Tree | undefined;
  readonly #root: MergedRoot;
  readonly #name: string;
  /** Entries by the offset before which they belong. */
  readonly #entries = new Map<number, string[][]>();
  readonly #names = new WeakMap<Tree, string>();
  readonly #end: number;

  /** `local` names the root of a new part. */
  constructor(tree: Tree | undefined, local: string) {
    this.#tree = tree;
    const { start, openEnd, closeStart } = tree?.root ?? { start: 0, openEnd: 0, closeStart: 0 };
    const tag = tree?.xml.slice(start, openEnd) ?? `<w:${local} xmlns:w="${NAMESPACES.w}">`;
    this.#name = /^<([^\s/>]+)/.exec(tag)?.[1] ?? '';
    this.#root = new MergedRoot(tag.endsWith('/>') ? `${tag.slice(0, -2)}>` : tag);
    this.#end = closeStart;
  }

  /** Declares what the root of another part declares. Returns what each entry from there needs. */
  namesFor(tree: Tree): string {
    const known = this.#names.get(tree) ?? this.#namesOf(tree);
    this.#names.set(tree, known);
    return known;
  }

  #namesOf(tree: Tree): string {
    const names = namespacesOf(tree.xml.slice(tree.root.start, tree.root.openEnd));
    const needed = this.#root.add(names);
    return names.namespaces.get('w') === NAMESPACES.w || needed.includes(' xmlns:w=')
      ? needed
      : `${needed} xmlns:w="${NAMESPACES.w}"`;
  }

  /** Adds an entry before an element of the first document, or at the end; there, those of a lower rank come first. */
  add(xml: string, names: string, before: XmlNode | undefined, rank = 0): void {
    const at = before?.start ?? this.#end;
    const known = this.#entries.get(at) ?? [];
    this.#entries.set(at, known);
    const entries = known[rank] ?? [];
    known[rank] = entries;
    entries.push(withNames(xml, names));
  }

  /** The text of the part; undefined if nothing was added. */
  text(): string | undefined {
    if (this.#entries.size === 0) return undefined;
    const pieces: string[] = [];
    const { xml, root } = this.#tree ?? { xml: '', root: undefined };
    let from = root?.openEnd ?? 0;
    pieces.push(root === undefined ? XML_DECLARATION : xml.slice(0, root.start), this.#root.toString());
    for (const [at, entries] of [...this.#entries].toSorted(([a], [b]) => a - b)) {
      pieces.push(xml.slice(from, at));
      for (const entry of entries.flat()) pieces.push(entry);
      from = at;
    }
    const isClosed = root !== undefined && root.openEnd < root.end;
    pieces.push(isClosed ? xml.slice(from) : `</${this.#name}>`);
    return pieces.join('');
  }
}
