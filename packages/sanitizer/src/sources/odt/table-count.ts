import { BOUNDS, boundPassed } from '@scriptorium/ooxml/bounds';
import type { Attribute } from '@scriptorium/ooxml/xml';
import { LayoutCount } from '../layout-count.ts';
import { localName } from './names.ts';

const CELLS = new Set(['table-cell', 'covered-table-cell']);

/** Counts the cells of a document's tables, including repeated rows, columns and cells. */
export class TableCount {
  readonly #rowRepeats: number[] = [];
  readonly #layout = new LayoutCount();
  #tables = 0;
  #cells = 0;

  open(name: string, attributes: readonly Attribute[]): void {
    if (name === 'table' && ++this.#tables > BOUNDS.nestedTablesMax) throw boundPassed('nestedTablesMax');
    if (name === 'table') this.#layout.openTable();
    if (name === 'table-row') {
      const repeats = times(attributes, 'number-rows-repeated');
      this.#rowRepeats.push(repeats);
      this.#layout.addRows(repeats);
    }
    if (name === 'table-column') this.#add(times(attributes, 'number-columns-repeated'));
    if (!CELLS.has(name)) return;
    const columns =
      times(attributes, 'number-columns-repeated') * times(attributes, 'number-columns-spanned');
    this.#layout.addCells(columns);
    this.#add(columns * times(attributes, 'number-rows-spanned') * (this.#rowRepeats.at(-1) ?? 1));
  }

  close(name: string): void {
    if (name === 'table') {
      this.#tables--;
      this.#layout.closeTable();
    }
    if (name === 'table-row') this.#rowRepeats.pop();
  }

  #add(count: number): void {
    this.#cells += count;
    if (this.#cells > BOUNDS.tableCellsMax) throw boundPassed('tableCellsMax');
  }
}

function times(attributes: readonly Attribute[], local: string): number {
  return Math.max(1, Number(attributes.find(({ name }) => localName(name) === local)?.value ?? 1) || 1);
}
