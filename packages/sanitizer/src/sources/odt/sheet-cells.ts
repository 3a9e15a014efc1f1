import { BOUNDS, boundPassed } from '@scriptorium/ooxml/bounds';
import type { Attribute, Edit, ElementSpan, OpenTag, XmlVisitor } from '@scriptorium/ooxml/xml';
import { judgeCondition, judgeOpenFormula } from '../../sheets/open-formula.ts';
import { SheetArea } from '../../sheets/sheet-area.ts';
import type { DropLog } from '../drop-log.ts';
import { localName } from './names.ts';

const CELLS = new Set(['table-cell', 'covered-table-cell']);
const FORMULA_ATTRIBUTES = new Set([
  'formula',
  'number-matrix-columns-spanned',
  'number-matrix-rows-spanned',
]);
/**
 * Elements without an effect on a page: input rules, pivot tables, whose values are cells, history, comments, and tools
 * of the editor.
 */
const UNSEEN = new Set([
  ...['content-validations', 'data-pilot-tables', 'tracked-changes', 'scenario', 'consolidation'],
  ...['detective', 'annotation', 'label-ranges', 'sort', 'sort-groups', 'subtotal-rules'],
]);
/** What a cell shows whose formula failed. */
const ERROR = /^(?:#[A-Z/0]{1,12}[!?]?|Err:\d{3})$/;
const ERROR_CHARS_MAX = 20;
/** Elements that fetch data. */
const SOURCES = new Set(['data-mappings', 'data-mapping', 'data-streams']);
/** Attributes that address cells (ODF 1.3 part 3 §19). */
const ADDRESS = /(?:address|addresses|ranges?|linked-cell|-cell)$/;

/** An open cell. */
interface Cell {
  hasContent: boolean;
  columns: number;
  /** A number without its formula, with what the page shows of it. */
  frozen?: { tag: OpenTag; shown: string };
}

/** The open table, and how far it was read. */
interface Table {
  area: SheetArea;
  rows: number;
  rowRepeats: number;
  columns: number;
}

/**
 * Freezes and counts the cells of OpenDocument spreadsheets. A cell with a value loses its formula; a cell without one
 * keeps a safe formula. Addresses of cells in other files are removed.
 */
export class SheetCells {
  readonly #drops: DropLog;
  #cells = 0;
  #merged = 0;
  #sheets = 0;
  #shapes = 0;
  comments = 0;

  constructor(drops: DropLog) {
    this.#drops = drops;
  }

  /** A visitor that adds to `edits`. */
  visitor(part: string, edits: Edit[]): XmlVisitor {
    const removed: boolean[] = [];
    const cells: Cell[] = [];
    const tables: Table[] = [];
    const open = (tag: OpenTag) => {
      const name = localName(tag.name);
      if (cells.length > 0 && !CELLS.has(name)) (cells.at(-1) as Cell).hasContent = true;
      openTable(tables, name, tag, part);
      if (CELLS.has(name)) cells.push(this.#openCell(tag, part, edits));
      this.#count(name, tag, part);
      const isRemoved = this.#isRemoved(name, tag, part);
      removed.push(isRemoved);
      if (!isRemoved) this.#vetAddresses(tag, part, edits);
    };
    const close = ({ start, end }: ElementSpan, name: string) => {
      if (removed.pop() === true) edits.push({ start, end, text: '' });
      const table = tables.at(-1);
      if (name === 'table') tables.pop();
      if (name === 'table-row' && table !== undefined) table.rows += table.rowRepeats;
      if (!CELLS.has(name)) return;
      const cell = cells.pop();
      showError(cell, edits);
      this.#closeCell(cell, table, part);
    };
    const names: string[] = [];
    return {
      '*': {
        open(tag) {
          names.push(localName(tag.name));
          open(tag);
        },
        text(text) {
          const frozen = cells.at(-1)?.frozen;
          if (frozen !== undefined && frozen.shown.length < ERROR_CHARS_MAX) frozen.shown += text;
        },
        close: (span) => close(span, names.pop() ?? ''),
      },
    };
  }

  #closeCell(cell: Cell | undefined, table: Table | undefined, part: string): void {
    if (cell === undefined || table === undefined) return;
    table.columns += cell.columns;
    if (!cell.hasContent) return;
    table.area.add(table.rows + table.rowRepeats, table.columns);
    this.#cells += cell.columns * table.rowRepeats;
    if (this.#cells > BOUNDS.sheetCellsMax) throw boundPassed('sheetCellsMax', part);
  }

  #openCell(tag: OpenTag, part: string, edits: Edit[]): Cell {
    const spans = times(tag, 'number-columns-spanned') * times(tag, 'number-rows-spanned');
    if (spans > 1 && ++this.#merged > BOUNDS.mergedCellsMax) throw boundPassed('mergedCellsMax', part);
    const formula = attributeOf(tag, 'formula');
    const hasValue = attributeOf(tag, 'value-type') !== undefined;
    if (formula !== undefined) this.#vetFormula(tag, formula, hasValue, part, edits);
    const columns = times(tag, 'number-columns-repeated');
    const isFrozen = formula !== undefined && attributeOf(tag, 'value') !== undefined;
    return {
      hasContent: hasValue || formula !== undefined,
      columns,
      ...(isFrozen && { frozen: { tag, shown: '' } }),
    };
  }

  #vetFormula(tag: OpenTag, formula: string, hasValue: boolean, part: string, edits: Edit[]): void {
    const verdict = judgeOpenFormula(formula);
    if (verdict === 'safe' && !hasValue) return;
    for (const attribute of tag.attributes)
      if (FORMULA_ATTRIBUTES.has(localName(attribute.name))) removeAttribute(tag, attribute, edits);
    if (verdict === 'active' || (verdict === 'unknown' && !hasValue))
      this.#drops.add('formula', part, formula, !hasValue);
  }

  #count(name: string, tag: OpenTag, part: string): void {
    if (name === 'annotation') this.comments++;
    if (name === 'table' && ++this.#sheets > BOUNDS.sheetsMax) throw boundPassed('sheetsMax', part);
    if (tag.name.includes('drawing') && ++this.#shapes > BOUNDS.shapesMax)
      throw boundPassed('shapesMax', part);
  }

  #isRemoved(name: string, tag: OpenTag, part: string): boolean {
    if (UNSEEN.has(name)) return true;
    if (SOURCES.has(name)) {
      this.#drops.add('data source', part, attributeOf(tag, 'href') ?? name, false);
      return true;
    }
    const [value, judge] = formulaOf(name, tag);
    if (value === undefined || judge(value) === 'safe') return false;
    this.#drops.add('formula', part, value, name !== 'named-expression');
    return true;
  }

  #vetAddresses(tag: OpenTag, part: string, edits: Edit[]): void {
    for (const attribute of tag.attributes) {
      const { name, value } = attribute;
      if (!ADDRESS.test(localName(name)) || !isOutside(value)) continue;
      this.#drops.add('external link', part, value, false);
      removeAttribute(tag, attribute, edits);
    }
  }
}

/** Excel writes the error of a formula as the number 0, and only the text of the cell names it. It becomes the value. */
function showError(cell: Cell | undefined, edits: Edit[]): void {
  if (cell?.frozen === undefined || !ERROR.test(cell.frozen.shown)) return;
  const { tag } = cell.frozen;
  for (const attribute of tag.attributes) {
    const name = localName(attribute.name);
    if (name === 'value') removeAttribute(tag, attribute, edits);
    if (name !== 'value-type') continue;
    // Between its quotes: the document has a prefix of its own.
    const end = tag.start + attribute.end - 1;
    edits.push({ start: end - attribute.value.length, end, text: 'string' });
  }
}

function openTable(tables: Table[], name: string, tag: OpenTag, part: string): void {
  if (name === 'table') tables.push({ area: new SheetArea(part), rows: 0, rowRepeats: 1, columns: 0 });
  const table = tables.at(-1);
  if (name !== 'table-row' || table === undefined) return;
  table.rowRepeats = times(tag, 'number-rows-repeated');
  table.columns = 0;
}

/** The formula of an element other than a cell, and who judges it. */
function formulaOf(name: string, tag: OpenTag) {
  if (name === 'named-expression') return [attributeOf(tag, 'expression'), judgeOpenFormula] as const;
  if (name === 'map') return [attributeOf(tag, 'condition'), judgeCondition] as const;
  const isFormat = name === 'condition' || name === 'formatting-entry' || name === 'color-scale-entry';
  return [isFormat ? (attributeOf(tag, 'value') ?? '') : undefined, judgeCondition] as const;
}

function attributeOf(tag: OpenTag, local: string): string | undefined {
  return tag.attributes.find(({ name }) => localName(name) === local)?.value;
}

function times(tag: OpenTag, local: string): number {
  return Math.max(1, Number(attributeOf(tag, local) ?? 1) || 1);
}

function removeAttribute(tag: OpenTag, { start, end }: Attribute, edits: Edit[]): void {
  edits.push({ start: tag.start + start, end: tag.start + end, text: '' });
}

/** `'file:///x.ods'#$Sheet.A1`, and anything like an address of a file. */
function isOutside(address: string): boolean {
  return /#(?!REF!)|:\/|\\|\|/.test(address);
}
