import { ancestorsOf, type XmlNode } from '@scriptorium/ooxml/xml';
import { rowsIn } from './table-rows.ts';

/** Counts the remaining rows of tables while several fields remove rows. */
export class RemainingRows {
  readonly #removed = new Set<XmlNode>();
  readonly #counts = new Map<XmlNode, number>();

  has(row: XmlNode): boolean {
    return !this.#removed.has(row);
  }

  /** Number of rows in a table, or in a control around rows. */
  countIn(node: XmlNode): number {
    const known = this.#counts.get(node);
    if (known !== undefined) return known;
    let count = 0;
    for (const row of rowsIn(node)) if (this.has(row)) count++;
    this.#counts.set(node, count);
    return count;
  }

  remove(rows: readonly XmlNode[]): void {
    for (const row of rows) {
      for (const outer of ancestorsOf(row)) {
        this.#counts.set(outer, this.countIn(outer) - 1);
        if (outer.name === 'w:tbl') break;
      }
      this.#removed.add(row);
    }
  }
}
