import { StyleMap } from './imported-styles.ts';
import { ListBook, ListMap, type ListSheet, readLists } from './lists.ts';
import type { Look, LookOptions, LookSource } from './look.ts';
import { StyleBook } from './style-book.ts';
import { readStyleSheet } from './style-sheet.ts';
import { readTheme, type Theme, themeEdits } from './theme.ts';
import { treeOf } from './tree.ts';

/** The styles and lists of all documents in one. Those of imported documents are written when something uses them. */
export class Looks {
  readonly #options: LookOptions;
  readonly #styles: StyleBook;
  readonly #lists: ListBook;
  readonly #theme: Theme;
  readonly #first: StyleMap;
  readonly #waiting: (() => void)[] = [];
  #documents = 0;

  /** The ids of the first document stay. */
  constructor(first: LookSource, options: LookOptions) {
    this.#options = options;
    const styles = treeOf(first.styles, 'styles');
    this.#styles = new StyleBook(styles);
    this.#theme = themeOf(first);
    const sheet = readLists(treeOf(first.numbering, 'numbering'));
    this.#lists = new ListBook(sheet);
    const { styleMap, listMap } = this.#maps(first, sheet, this.#theme, undefined, styles);
    this.#first = styleMap;
    listMap.enterAll();
    styleMap.enterAll();
  }

  /** Keeps ids that the first document uses, although it has no such style or list, from imported ones. */
  reserve(styleIds: Iterable<string>, numIds: Iterable<string>): void {
    for (const id of styleIds) this.#styles.keepId(id);
    for (const id of numIds) this.#lists.keep('list', id);
  }

  /** Adds the next document. */
  add(source: LookSource): Look {
    this.#documents++;
    const theme = themeOf(source);
    const isThemed = theme.key !== this.#theme.key;
    const sheet = readLists(treeOf(source.numbering, 'numbering'));
    const { styleMap, listMap } = this.#maps(source, sheet, theme, this.#first);
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
    sheet: ListSheet,
    theme: Theme,
    first: StyleMap | undefined,
    tree = treeOf(source.styles, 'styles'),
  ): { styleMap: StyleMap; listMap: ListMap } {
    const isThemed = theme.key !== this.#theme.key;
    const styles = readStyleSheet(tree, theme);
    const listMap = new ListMap(sheet, {
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

function themeOf({ theme, settings }: LookSource): Theme {
  return readTheme(treeOf(theme, 'theme'), treeOf(settings, 'settings'));
}
