import type { OpenTag } from '@scriptorium/ooxml/xml';

/** A style of a document for tables. */
export interface TableStyle {
  id: string;
  /** It gives the first row a look of its own. */
  hasHeader: boolean;
}

const GRID = 'TableGrid';

/** Finds the style for a new table while the styles of a document are read. */
export class TableStyles {
  readonly #styles: TableStyle[] = [];
  #open: TableStyle | undefined;

  /** Hears of `w:style`. */
  openStyle(tag: OpenTag): void {
    const id = tag.attribute('w:styleId');
    // The default one is what a table without a style has.
    const isDefault = !['0', 'false', 'off', undefined].includes(tag.attribute('w:default'));
    this.#open = undefined;
    if (id === undefined || isDefault || tag.attribute('w:type') !== 'table') return;
    this.#open = { id, hasHeader: false };
    this.#styles.push(this.#open);
  }

  /** Hears of `w:tblStylePr`, the look of a part of a table. */
  openPart(tag: OpenTag): void {
    if (this.#open !== undefined && tag.attribute('w:type') === 'firstRow') this.#open.hasHeader = true;
  }

  /** The first one with a header; else Word's grid; else any. */
  get best(): TableStyle | undefined {
    const styles = this.#styles;
    return styles.find(({ hasHeader }) => hasHeader) ?? styles.find(({ id }) => id === GRID) ?? styles[0];
  }
}
