import type { Edit, OpenTag, XmlVisitor } from '@scriptorium/ooxml/xml';

/** What Word and LibreOffice take at each side where nothing is said (ECMA-376-1 §17.4.42). */
const USUAL_TWIPS = 108;
/** The width of the text of an A4 page, of which a table takes a part. */
const TEXT_TWIPS = 9_000;
const WHOLE_PERCENT = 5_000;
/** Properties of a cell behind its margins (ECMA-376-1 §17.4.69). */
const BEHIND_MARGINS = [
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
interface Margins {
  start: number;
  end: number;
  left?: number;
  right?: number;
}

/** A table whose cells may be too narrow. */
export interface TextTable {
  depth: number;
  ownWidth?: { value: number; type: string };
  margins?: Margins;
}

/** A cell that may have to show a text. */
export interface TextCell {
  depth: number;
  hasText: boolean;
  margins?: Margins;
  /** Where margins belong: in its properties, or where those would stand. */
  place: { start: number; end: number; isInProperties: boolean };
}

/** Calls `set` for a property of an open table, row or cell, not of its history. */
export function property(of: () => { depth: number } | undefined, set: (tag: OpenTag) => void) {
  return {
    open: (tag: OpenTag) => {
      if (of()?.depth === tag.depth - 2) set(tag);
    },
  };
}

/** Notes what decides whether the innermost open cell is too narrow for its text. */
export function textCellVisitor(
  table: () => TextTable | undefined,
  cell: () => TextCell | undefined,
): XmlVisitor {
  let margins: Margins | undefined;
  const marginsOf = (of: () => TextTable | TextCell | undefined) => ({
    ...property(of, ({ start, end }) => {
      margins = { start, end };
      Object.assign(of() ?? {}, { margins });
    }),
    close: ({ end }: { end: number }) => {
      if (margins !== undefined) margins.end = end;
      margins = undefined;
    },
  });
  const side = (name: 'left' | 'right') => ({
    open: (tag: OpenTag) => {
      if (margins !== undefined) margins[name] = Number(tag.attribute('w:w')) || 0;
    },
  });
  /** The first place counts: what follows in properties may have properties of its own. */
  const place = (start: number, end: number, isInProperties: boolean) => {
    const open = cell();
    if (open?.place.isInProperties === false) open.place = { start, end, isInProperties };
  };
  const behind = property(cell, ({ start }) => place(start, start, true));
  return {
    'w:t': {
      text: (text) => {
        if (text.trim() !== '') Object.assign(cell() ?? {}, { hasText: true });
      },
    },
    'w:tblW': property(table, (tag) => {
      const ownWidth = { value: Number(tag.attribute('w:w')) || 0, type: tag.attribute('w:type') ?? 'dxa' };
      Object.assign(table() ?? {}, { ownWidth });
    }),
    'w:tblCellMar': marginsOf(table),
    'w:tcMar': marginsOf(cell),
    'w:left': side('left'),
    'w:start': side('left'),
    'w:right': side('right'),
    'w:end': side('right'),
    ...Object.fromEntries(BEHIND_MARGINS.map((name) => [name, behind])),
    'w:tcPr': {
      close: ({ start, closeStart, end }) =>
        closeStart === end ? place(start, end, false) : place(closeStart, closeStart, true),
    },
  };
}

/**
 * The edit without which a cell shows nothing: LibreOffice leaves out the text of a cell that is at most as wide as its margins.
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
