import type { OpenTag } from '@scriptorium/ooxml/xml';

/** A table style of a document. */
export interface TableStyle {
  id: string;
  /** It defines a format for the first row. */
  hasHeader: boolean;
}

const GRID = 'TableGrid';

/** Selects the style for a new table while the styles of a document are read. */
export class TableStyles {
  readonly #styles: TableStyle[] = [];
  #open: TableStyle | undefined;

  /** Handles `w:style`. */
  openStyle(tag: OpenTag): void {
    const id = tag.attribute('w:styleId');
    // The default style applies to tables without a style.
    const isDefault = !['0', 'false', 'off', undefined].includes(tag.attribute('w:default'));
    this.#open = undefined;
    if (id === undefined || isDefault || tag.attribute('w:type') !== 'table') return;
    this.#open = { id, hasHeader: false };
    this.#styles.push(this.#open);
  }

  /** Handles `w:tblStylePr`, the format of a part of a table. */
  openPart(tag: OpenTag): void {
    if (this.#open !== undefined && tag.attribute('w:type') === 'firstRow') this.#open.hasHeader = true;
  }

  /** The first style with a header, else Word's grid, else any. */
  get best(): TableStyle | undefined {
    const styles = this.#styles;
    return styles.find(({ hasHeader }) => hasHeader) ?? styles.find(({ id }) => id === GRID) ?? styles[0];
  }
}
