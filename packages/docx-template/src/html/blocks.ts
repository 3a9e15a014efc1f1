/** The formats of a piece of text that a value sets. Absent ones are those of the mark. */
export interface Format {
  isBold?: true;
  isItalic?: true;
  isUnderlined?: true;
  isStruck?: true;
  isCode?: true;
  position?: 'subscript' | 'superscript';
  /** `RRGGBB`. */
  color?: string;
  background?: string;
  /** In half points. */
  size?: number;
  /** The address of a link. */
  href?: string;
}

/** A text of one format, where a line feed is a line break; or a picture. */
export type Inline =
  | { type: 'text'; text: string; format: Format }
  | { type: 'picture'; uri: string; width?: number; height?: number; alt: string; format: Format };

export interface List {
  isOrdered: boolean;
  start: number;
  /** From 0. */
  level: number;
  /** The format of its numbers, or its bullet, if the value names one. */
  marker?: string;
}

export interface ParagraphBlock {
  type: 'paragraph';
  inlines: Inline[];
  /** From 1 to 6, or 0 for a paragraph that is not a heading. */
  heading: number;
  align?: Alignment;
  /** The list around it. */
  list?: List;
  /** It is the first paragraph of an item of the list. */
  hasMarker: boolean;
  /** Number of quotations around it. */
  quotes: number;
  /** It is a horizontal line. */
  isRule: boolean;
}

export type Alignment = 'left' | 'center' | 'right' | 'both';

export interface CellBlock {
  isHeader: boolean;
  columns: number;
  rows: number;
  /** `RRGGBB`. */
  background?: string;
  blocks: Block[];
}

export interface TableBlock {
  type: 'table';
  rows: CellBlock[][];
}

export type Block = ParagraphBlock | TableBlock;

/** Whether the blocks are one paragraph without looks of its own. It can stand in a line. */
export function isOneLine([block, ...others]: readonly Block[]): boolean {
  if (block === undefined) return true;
  if (others.length > 0 || block.type === 'table') return false;
  const { heading, align, list, quotes, isRule } = block;
  return heading === 0 && align === undefined && list === undefined && quotes === 0 && !isRule;
}

/** All text and pictures, also those of cells. */
export function inlinesOf(blocks: readonly Block[]): Inline[] {
  return blocks.flatMap((block) =>
    block.type === 'paragraph'
      ? block.inlines
      : block.rows.flatMap((row) => row.flatMap((cell) => inlinesOf(cell.blocks))),
  );
}

/** The lines of blocks where no paragraph can stand. Markers are texts, and tabs separate cells. */
export function linesOfBlocks(blocks: readonly Block[]): Inline[][] {
  const counts = new Map<List, number>();
  return blocks.flatMap((block): Inline[][] => {
    if (block.type === 'table') return block.rows.map(lineOfRow);
    const { list, hasMarker, inlines } = block;
    if (list === undefined || !hasMarker) return [inlines];
    const number = (counts.get(list) ?? list.start - 1) + 1;
    counts.set(list, number);
    return [[plain(list.isOrdered ? `${number}.\t` : '•\t'), ...inlines]];
  });
}

function lineOfRow(row: readonly CellBlock[]): Inline[] {
  return row.flatMap(({ blocks }, index) => {
    const lines = linesOfBlocks(blocks);
    const inlines = lines.flatMap((line, number) => (number === 0 ? line : [plain('\n'), ...line]));
    return index === 0 ? inlines : [plain('\t'), ...inlines];
  });
}

function plain(text: string): Inline {
  return { type: 'text', text, format: {} };
}
