import { ancestorsOf, attributeOf, childOf, descendantsOf, type XmlNode } from '@scriptorium/ooxml/xml';
import { EMU_PER_TWIP, type Room, shareOf, twipsOf } from './measures.ts';
import { sectionOf } from './sections.ts';
import { shapeRoom } from './shape-room.ts';
import type { Story } from './story.ts';
import type { Template } from './template.ts';

/** Height of a line beyond an inline picture: below the baseline, and around. */
const LINE_TWIPS = 300;
/** Default cell margin (ECMA-376-1 §17.4.42). */
const CELL_MARGIN_TWIPS = 115;
const CELL_WIDTH_TWIPS_MIN = 100;

/** The room at a place: in the cell, the text box, the column or, in headers and footers, the page. */
export function roomAt(place: XmlNode, story: Story, template: Template): Room {
  const section = sectionOf(template.sections, place, story);
  let heightTwips = section.heightTwips;
  let cell: XmlNode | undefined;
  for (const node of [place, ...ancestorsOf(place)]) {
    if (node.name === 'w:tc') cell ??= node;
    if (node.name === 'w:tr') heightTwips = Math.min(heightTwips, exactHeight(node) ?? heightTwips);
    if (node.name !== 'w:txbxContent') continue;
    const box = shapeRoom(node);
    if (box === undefined) continue;
    const heightEmu = Math.min(box.heightEmu, heightOf(heightTwips));
    return { heightEmu, widthEmu: cell === undefined ? box.widthEmu : cellWidth(cell, box.widthEmu) };
  }
  const isMargin = story.place === 'header' || story.place === 'footer';
  const widthEmu = EMU_PER_TWIP * (isMargin ? section.textTwips : section.columnTwips);
  const heightEmu = heightOf(heightTwips);
  return { heightEmu, widthEmu: cell === undefined ? widthEmu : cellWidth(cell, widthEmu) };
}

function heightOf(twips: number): number {
  return EMU_PER_TWIP * Math.max(twips - LINE_TWIPS, twips / 2);
}

function exactHeight(row: XmlNode): number | undefined {
  const properties = childOf(row, 'w:trPr');
  const height = properties && childOf(properties, 'w:trHeight');
  if (height === undefined || attributeOf(height, 'w:hRule') !== 'exact') return undefined;
  return twipsOf(attributeOf(height, 'w:val'));
}

/** Width inside the margins of a cell. `roomEmu` is the room of the outermost table. */
function cellWidth(cell: XmlNode, roomEmu: number): number {
  const table = around(cell, 'w:tbl');
  const row = around(cell, 'w:tr');
  if (table === undefined || row === undefined) return roomEmu;
  const outer = around(table, 'w:tc', 'w:txbxContent');
  const inner = outer?.name === 'w:tc' ? cellWidth(outer, roomEmu) : roomEmu;
  const tableTwips = tableWidth(table, inner / EMU_PER_TWIP);
  const own = childOf(cell, 'w:tcPr');
  const twips = widthIn(own && childOf(own, 'w:tcW'), tableTwips) ?? gridWidth(cell, row, table, tableTwips);
  const margins = cellMargin(cell, table, 'left', 'start') + cellMargin(cell, table, 'right', 'end');
  return EMU_PER_TWIP * Math.max(twips - margins, CELL_WIDTH_TWIPS_MIN);
}

/** The nearest ancestor with one of these names. */
function around(node: XmlNode, ...names: string[]): XmlNode | undefined {
  for (const outer of ancestorsOf(node)) if (names.includes(outer.name)) return outer;
  return undefined;
}

function tableWidth(table: XmlNode, roomTwips: number): number {
  const properties = childOf(table, 'w:tblPr');
  const requested = widthIn(properties && childOf(properties, 'w:tblW'), roomTwips);
  const columns = gridColumns(table);
  return requested ?? (columns.length > 0 ? columns.reduce((sum, width) => sum + width, 0) : roomTwips);
}

/** §17.4.87. Undefined for `auto`. */
function widthIn(width: XmlNode | undefined, wholeTwips: number): number | undefined {
  const value = width && attributeOf(width, 'w:w');
  const type = width && attributeOf(width, 'w:type');
  const isShare = type === 'pct' || value?.endsWith('%') === true;
  if (isShare) return wholeTwips * (shareOf(value) ?? 1);
  const twips = type === 'auto' || type === 'nil' ? undefined : twipsOf(value);
  return twips === undefined || twips <= 0 ? undefined : twips;
}

function gridColumns(table: XmlNode): number[] {
  const grid = childOf(table, 'w:tblGrid');
  return (grid?.children ?? [])
    .filter(({ name }) => name === 'w:gridCol')
    .map((column) => twipsOf(attributeOf(column, 'w:w')) ?? 0);
}

function gridWidth(cell: XmlNode, row: XmlNode, table: XmlNode, tableTwips: number): number {
  const cells = [...descendantsOf(row, ({ name }) => name === 'w:tc')].filter(({ name }) => name === 'w:tc');
  const before = cells.slice(0, cells.indexOf(cell)).reduce((sum, other) => sum + spanOf(other), 0);
  const properties = childOf(row, 'w:trPr');
  const skipped = properties && childOf(properties, 'w:gridBefore');
  const first = before + Number((skipped && attributeOf(skipped, 'w:val')) ?? 0);
  const width = gridColumns(table)
    .slice(first, first + spanOf(cell))
    .reduce((sum, column) => sum + column, 0);
  return width > 0 ? width : tableTwips / Math.max(cells.length, 1);
}

function spanOf(cell: XmlNode): number {
  const properties = childOf(cell, 'w:tcPr');
  const span = properties && childOf(properties, 'w:gridSpan');
  return Math.max(Number((span && attributeOf(span, 'w:val')) ?? 1) || 1, 1);
}

function cellMargin(cell: XmlNode, table: XmlNode, ...sides: string[]): number {
  const own = childOf(cell, 'w:tcPr');
  const tables = childOf(table, 'w:tblPr');
  for (const margins of [own && childOf(own, 'w:tcMar'), tables && childOf(tables, 'w:tblCellMar')])
    for (const side of sides) {
      const margin = margins && childOf(margins, `w:${side}`);
      const twips = margin && twipsOf(attributeOf(margin, 'w:w'));
      if (twips !== undefined) return twips;
    }
  return CELL_MARGIN_TWIPS;
}
