import type { Edit } from '@scriptorium/ooxml/xml';

/** What Word and LibreOffice take at each side where nothing is said (ECMA-376-1 §17.4.42). */
const USUAL_TWIPS = 108;
/** The width of the text of an A4 page, of which a table takes a part. */
const TEXT_TWIPS = 9_000;
const WHOLE_PERCENT = 5_000;
/** Properties of a cell behind its margins (ECMA-376-1 §17.4.69). */
export const BEHIND_MARGINS = [
  'w:textDirection',
  'w:tcFitText',
  'w:vAlign',
  'w:hideMark',
  'w:headers',
  'w:cellIns',
  'w:cellDel',
  'w:cellMerge',
  'w:tcPrChange',
];

/** Where margins stand, and what they say, in twips. */
export interface Margins {
  start: number;
  end: number;
  left?: number;
  right?: number;
}

/** A cell that may have to show a text. */
export interface TextCell {
  hasText: boolean;
  margins?: Margins;
  /** Where margins belong: in its properties, or where those would stand. */
  place: { start: number; end: number; isInProperties: boolean };
}

/**
 * The edit without which a cell shows nothing: LibreOffice leaves out the text of a cell that is no wider than its margins.
 * Word shows it, one letter below the other.
 */
export function narrowCellEdit(
  cell: TextCell,
  width: number,
  ofTable: Margins | undefined,
  prefix: string,
): Edit | undefined {
  const { margins, place } = cell;
  const side = (name: 'left' | 'right') => margins?.[name] ?? ofTable?.[name] ?? USUAL_TWIPS;
  if (!cell.hasText || width > side('left') + side('right')) return undefined;
  const none = (name: string) => `<${prefix}${name} ${prefix}w="0" ${prefix}type="dxa"/>`;
  const text = `<${prefix}tcMar>${none('left')}${none('right')}</${prefix}tcMar>`;
  const { start, end } = margins ?? place;
  const isInProperties = margins !== undefined || place.isInProperties;
  return { start, end, text: isInProperties ? text : `<${prefix}tcPr>${text}</${prefix}tcPr>` };
}

/** How much wider a table is than its grid says: its own width counts. */
export function scaleOf(grid: number, width: { value: number; type: string } | undefined): number {
  const { value = 0, type } = width ?? {};
  const whole = type === 'pct' ? (TEXT_TWIPS * value) / WHOLE_PERCENT : type === 'dxa' ? value : 0;
  return grid === 0 ? 1 : Math.max(1, whole / grid);
}
