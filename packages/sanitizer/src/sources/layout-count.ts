import { BOUNDS, type Bound, boundPassed } from '@scriptorium/ooxml/bounds';

/** What a paragraph holds so far. */
interface OpenParagraph {
  chars: number;
  pieces: number;
}

/** What a table holds so far. */
interface OpenTable {
  rows: number;
  rowCells: number;
}

/**
 * Counts what makes a layout slow: the time for a paragraph, a table or the columns of a page grows faster than their size.
 * Paragraphs and tables nest. Each method throws DOCUMENT_TOO_COMPLEX for a bound that is passed.
 */
export class LayoutCount {
  readonly #part: string | undefined;
  readonly #paragraphs: OpenParagraph[] = [];
  readonly #tables: OpenTable[] = [];
  #paragraphCount = 0;
  #cells = 0;

  constructor(part?: string) {
    this.#part = part;
  }

  openParagraph(): void {
    this.#bound('paragraphsMax', ++this.#paragraphCount);
    this.#paragraphs.push({ chars: 0, pieces: 0 });
  }

  closeParagraph(): void {
    this.#paragraphs.pop();
  }

  /** For formats in which a mark ends each paragraph. */
  nextParagraph(): void {
    this.closeParagraph();
    this.openParagraph();
  }

  /** The same for a format in which elements begin paragraphs, and are counted elsewhere. */
  restartParagraph(): void {
    this.#paragraphs.pop();
    this.#paragraphs.push({ chars: 0, pieces: 0 });
  }

  addText(chars: number): void {
    const paragraph = this.#paragraphs.at(-1);
    if (paragraph === undefined) return;
    paragraph.chars += chars;
    this.#bound('paragraphCharsMax', paragraph.chars);
  }

  /** A piece of text with its own formatting. */
  addPiece(): void {
    const paragraph = this.#paragraphs.at(-1);
    if (paragraph === undefined) return;
    paragraph.pieces++;
    this.#bound('paragraphPiecesMax', paragraph.pieces);
  }

  /** Columns of a page or section. */
  columns(count: unknown): void {
    this.#bound('columnsMax', Number(count ?? 0));
  }

  openTable(): void {
    this.#tables.push({ rows: 0, rowCells: 0 });
  }

  closeTable(): void {
    this.#tables.pop();
  }

  addRows(count = 1): void {
    const table = this.#tables.at(-1);
    if (table === undefined) return;
    table.rows += count;
    table.rowCells = 0;
    this.#bound('tableRowsMax', table.rows);
  }

  /** A cell, or several in one row. */
  addCells(count = 1): void {
    this.#cells += count;
    this.#bound('tableCellsMax', this.#cells);
    const table = this.#tables.at(-1);
    if (table === undefined) return;
    table.rowCells += count;
    this.#bound('rowCellsMax', table.rowCells);
  }

  /** The columns that one cell or grid spans. */
  span(count: unknown): void {
    this.#bound('rowCellsMax', Number(count ?? 0));
  }

  #bound(bound: Bound, count: number): void {
    if (count > BOUNDS[bound]) throw boundPassed(bound, this.#part);
  }
}
