import { StyleMap } from './imported-styles.ts';
import { ListBook, ListMap, type ListSheet, readLists } from './lists.ts';
import type { Look, LookOptions, LookSource } from './look.ts';
import { StyleBook } from './style-book.ts';
import { readStyleSheet, type StyleSheet } from './style-sheet.ts';
import { readTheme, type Theme, themeEdits } from './theme.ts';
import { type Tree, treeOf } from './tree.ts';

/** What is read of the look of a document. */
interface ReadLook {
  theme: Theme;
  tree: Tree | undefined;
  styles: StyleSheet;
  lists: ListSheet;
}

/** The styles and lists of all documents in one. Those of imported documents are written when something uses them. */
export class Looks {
  readonly #options: LookOptions;
  readonly #styles: StyleBook;
  readonly #lists: ListBook;
  readonly #theme: Theme;
  readonly #first: StyleMap;
  readonly #waiting: (() => void)[] = [];
  #documents = 0;
  /** A document may be added many times, but is read once. */
  readonly #read = new WeakMap<object, ReadLook>();

  /** The ids of the first document stay. */
  constructor(first: LookSource, options: LookOptions) {
    this.#options = options;
    const read = readLook(first);
    this.#styles = new StyleBook(read.tree);
    this.#theme = read.theme;
    this.#lists = new ListBook(read.lists);
    const { styleMap, listMap } = this.#maps(first, read, undefined);
    this.#first = styleMap;
    listMap.enterAll();
    styleMap.enterAll();
  }

  /** Keeps ids that the first document uses, although it has no such style or list, from imported ones. */
  reserve(styleIds: Iterable<string>, numIds: Iterable<string>): void {
    for (const id of styleIds) this.#styles.keepId(id);
    for (const id of numIds) this.#lists.keep('list', id);
  }

  /** Adds the next document. `document` is what it is known by if it is added again. */
  add(source: LookSource, document: object = source): Look {
    this.#documents++;
    const read = this.#read.get(document) ?? readLook(source);
    this.#read.set(document, read);
    const { theme } = read;
    const isThemed = theme.key !== this.#theme.key;
    const { styleMap, listMap } = this.#maps(source, read, this.#first);
    styleMap.nameAll();
    return {
      styleId: (id, use) => styleMap.styleId(id, use),
      numId: (id) => listMap.numId(id),
      unstyled: {
        get paragraph() {
          return styleMap.unstyled('paragraph', undefined);
        },
        get table() {
          return styleMap.unstyled('table', undefined);
        },
      },
      unstyledInTable: (table) => styleMap.unstyled('paragraph', table),
      styleNames: styleMap.names,
      theme: isThemed ? (tag, xml) => themeEdits(tag, xml, theme) : undefined,
    };
  }

  #maps(
    source: LookSource,
    { theme, styles, lists }: ReadLook,
    first: StyleMap | undefined,
  ): { styleMap: StyleMap; listMap: ListMap } {
    const isThemed = theme.key !== this.#theme.key;
    const listMap = new ListMap(lists, {
      book: this.#lists,
      document: this.#documents,
      mode: this.#options.numbering,
      theme,
      isThemed,
      relationship: (id) => source.numberingRelationship(id),
      styleId: (id) => styleMap.styleOf(id, ''),
      styleName: (id) => styles.styles.get(id)?.name.toLowerCase() ?? id,
      isNumbered: (id) => styles.styles.get(id)?.numId !== undefined,
      later: (write) => this.#waiting.push(write),
    });
    const styleMap = new StyleMap(styles, {
      book: this.#styles,
      mode: this.#options.styles,
      first,
      theme: isThemed ? theme : undefined,
      listKey: (id) => listMap.keyOf(id),
      numId: (id) => listMap.numId(id),
    });
    return { styleMap, listMap };
  }

  /** The styles part; undefined if it is that of the first document. */
  styles(): string | undefined {
    this.#writeAll();
    return this.#styles.part.text();
  }

  /** The numbering part; undefined if it is that of the first document. */
  numbering(): string | undefined {
    this.#writeAll();
    return this.#lists.part.text();
  }

  /** Styles lead to lists, and lists to styles. */
  #writeAll(): void {
    for (let write = this.#waiting.pop(); write !== undefined || this.#styles.writeNext(); ) {
      write?.();
      write = this.#waiting.pop();
    }
  }
}

function readLook(source: LookSource): ReadLook {
  const theme = themeOf(source);
  const tree = treeOf(source.styles, 'styles');
  const lists = readLists(treeOf(source.numbering, 'numbering'));
  return { theme, tree, styles: readStyleSheet(tree, theme), lists };
}

function themeOf({ theme, settings }: LookSource): Theme {
  return readTheme(treeOf(theme, 'theme'), treeOf(settings, 'settings'));
}
