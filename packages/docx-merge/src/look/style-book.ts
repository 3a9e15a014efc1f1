import { childValue, type Edit } from '@scriptorium/ooxml/xml';
import { Book } from './book.ts';
import type { Tree } from './tree.ts';

/** A style of the merged document. That of an imported one is written when something uses it. */
export interface MergedStyle {
  id: string;
  name: string;
  write: (() => void) | undefined;
}

/** The styles of the merged document. */
export class StyleBook {
  readonly part: Book;
  readonly #ids = new Set<string>();
  readonly #names = new Set<string>();
  readonly #byKey = new Map<string, MergedStyle>();
  readonly #looks = new Map<string, number>();
  readonly #counters = new Map<string, number>();
  readonly #waiting: (() => void)[] = [];

  constructor(tree: Tree | undefined) {
    this.part = new Book(tree, 'styles');
    for (const node of tree?.root.children ?? []) {
      const name = node.name === 'w:style' ? childValue(node, 'w:name') : undefined;
      if (name !== undefined) this.#names.add(name.toLowerCase());
    }
  }

  /** Keeps an id from imported styles. */
  keepId(id: string): void {
    this.#ids.add(id);
  }

  /** A number for a text: the same for equal texts. */
  numberOf(text: string): number {
    const known = this.#looks.get(text) ?? this.#looks.size;
    this.#looks.set(text, known);
    return known;
  }

  find(key: string): MergedStyle | undefined {
    return this.#byKey.get(key);
  }

  /** The first style of a key stays. */
  enter(key: string, style: MergedStyle): void {
    if (!this.#byKey.has(key)) this.#byKey.set(key, style);
  }

  /** A style with an id and a name that are free. */
  create(id: string, name: string, write: (style: MergedStyle) => void): MergedStyle {
    const style: MergedStyle = {
      id: this.freeId(id),
      name: this.#free(
        name,
        this.#names,
        (count) => `${name} (${count})`,
        (text) => text.toLowerCase(),
      ),
      write: () => write(style),
    };
    return style;
  }

  freeId(id: string): string {
    return this.#free(
      id,
      this.#ids,
      (count) => `${id}_${count}`,
      (text) => text,
    );
  }

  #free(
    wanted: string,
    taken: Set<string>,
    numbered: (count: number) => string,
    keyOf: (text: string) => string,
  ): string {
    const counter = `${taken === this.#ids} ${keyOf(wanted)}`;
    let free = wanted;
    let count = this.#counters.get(counter) ?? 1;
    while (taken.has(keyOf(free))) free = numbered(++count);
    this.#counters.set(counter, count);
    taken.add(keyOf(free));
    return free;
  }

  /** Writes a style, later, once. Returns its id. */
  use(style: MergedStyle): string {
    if (style.write !== undefined) this.#waiting.push(style.write);
    style.write = undefined;
    return style.id;
  }

  /** Writes one of the styles that wait. False if none does. */
  writeNext(): boolean {
    const write = this.#waiting.pop();
    write?.();
    return write !== undefined;
  }
}

/** Edits of a part of a text, moved to where that part begins. */
export function moved(edits: readonly Edit[], by: number): Edit[] {
  return edits.map(({ start, end, text }) => ({ start: start - by, end: end - by, text }));
}
