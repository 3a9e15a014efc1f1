import { BOUNDS, boundPassed } from '@scriptorium/ooxml/bounds';

const REFERENCE = /^\$?([A-Z]{1,3})\$?(\d{1,7})$/i;

/**
 * The area of one sheet that has content. An engine walks over it to divide it into pages. It takes half a minute for a sheet
 * with content in its first and last cell.
 */
export class SheetArea {
  readonly #part: string;
  #rows = 0;
  #columns = 0;

  constructor(part: string) {
    this.#part = part;
  }

  /** Adds the cell with this number of rows and columns before its end. Throws DOCUMENT_TOO_COMPLEX. */
  add(rows: number, columns: number): void {
    this.#rows = Math.max(this.#rows, rows);
    this.#columns = Math.max(this.#columns, columns);
    if (this.#rows * this.#columns > BOUNDS.sheetAreaMax) throw boundPassed('sheetAreaMax', this.#part);
  }

  /** Adds a cell by its reference, such as `C7`. */
  addReference(reference: string): void {
    const [, letters = '', row = '0'] = REFERENCE.exec(reference) ?? [];
    const column = [...letters.toUpperCase()].reduce(
      (sum, letter) => 26 * sum + letter.charCodeAt(0) - 64,
      0,
    );
    this.add(Number(row), column);
  }
}
