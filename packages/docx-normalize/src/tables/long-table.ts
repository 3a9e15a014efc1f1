import type { Edit, ElementSpan, OpenTag } from '@scriptorium/ooxml/xml';

/** Rows of a piece, without those that it shares with the piece before. */
const PIECE_ROWS = 500;
/** Rows that two pieces share. A page must begin among them. */
const SHARED_ROWS = 144;
/** Styles may give every second, fourth or sixth row another look. */
const LOOK_ROWS = 12;
const HEADS_MAX = 20;
/** How much longer a text may be than those of its column in the first rows, and still look alike: a number that grows. */
const GROWTH_MAX = 4;
/** Attributes that say nothing about the look of a paragraph. */
const IDENTITIES = / \w+:(?:rsid\w*|paraId|textId)="[^"]*"/g;

/** Elements of a row that may be there twice. */
const PLAIN = new Set([
  ...['w:tr', 'w:trPr', 'w:tc', 'w:tcPr', 'w:p', 'w:pPr', 'w:r', 'w:rPr', 'w:t', 'w:tab', 'w:hyperlink'],
  ...['w:br', 'w:noBreakHyphen', 'w:softHyphen', 'w:proofErr', 'w:lastRenderedPageBreak', 'w:sym'],
]);
const PROPERTIES = new Set(['w:trPr', 'w:tcPr', 'w:pPr', 'w:rPr']);
/**
 * Properties and content that reach beyond a row, or with which LibreOffice does not remove rows. These are cells of several rows
 * or columns, tables inside, what floats, and tracked changes.
 */
const BEYOND = new Set([
  ...['w:gridSpan', 'w:vMerge', 'w:hMerge', 'w:gridBefore', 'w:gridAfter', 'w:keepNext', 'w:pageBreakBefore'],
  ...[
    'w:framePr',
    'w:sectPr',
    'w:tbl',
    'w:tblpPr',
    'w:tblPrEx',
    'w:tblPrChange',
    'wp:anchor',
    'w:pict',
    'w:object',
  ],
  ...['w:ins', 'w:del', 'w:moveFrom', 'w:moveTo', 'w:cellIns', 'w:cellDel', 'w:cellMerge'],
]);
const W = 'xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"';
/** LibreOffice joins tables side by side. A hidden paragraph prevents that, and has no height. */
const BETWEEN = `<w:p ${W}><w:pPr><w:rPr><w:vanish/></w:rPr></w:pPr></w:p>`;
const OFF = new Set(['0', 'false', 'off']);

/** The content of the name of a piece’s bookmark. */
interface PieceMark {
  piece: number;
  /** Rows that it shares with the piece before. */
  overlap: number;
  /** The pieces of the table. */
  pieces: number;
  /** Whether the cells of all pieces look like those of the first one, so that all rows may have its height. */
  looksEven: boolean;
}

/** The cells of a column in the first rows: their elements, and the lengths of their texts. */
interface Column {
  shapes: Set<string>;
  shortest: number;
  longest: number;
}

interface Row {
  start: number;
  end: number;
  isPlain: boolean;
  isHead: boolean;
}

/** Where a mark can stand in the first paragraph of a row: at its start, behind its properties. */
interface Place {
  at: number | undefined;
  isFixed: boolean;
}

/** Reads a table of a Word document, and splits it. */
export class LongTable {
  readonly start: number;
  readonly #xml: string;
  readonly #opening: string;
  readonly #depth: number;
  readonly #rows: Row[] = [];
  readonly #marks: (number | undefined)[] = [];
  #isWhole = false;
  /** Widths and borders of the cells of a row, and whether it is open. */
  #row: Row | undefined;
  #shape = '';
  #shapeOfAll: string | undefined;
  #edges = 0;
  readonly #columns: Column[] = [];
  #column = 0;
  #looksEven = true;
  /** Depth of the open properties; their content is not of the text. */
  #properties: number | undefined;
  #place: Place | undefined;

  constructor(xml: string, { start, end, depth }: OpenTag) {
    this.#xml = xml;
    this.start = start;
    this.#opening = xml.slice(start, end);
    this.#depth = depth;
  }

  get rows(): number {
    return this.#rows.length;
  }

  open(tag: OpenTag): void {
    const { name, depth } = tag;
    if (BEYOND.has(name) || (name === 'w:br' && tag.attribute('w:type') !== undefined)) this.#isWhole = true;
    if (name === 'w:tr' && depth !== this.#depth + 1) this.#isWhole = true;
    if (name === 'w:tr' && depth === this.#depth + 1) {
      this.#row = { start: tag.start, end: tag.end, isPlain: true, isHead: false };
      this.#shape = '';
      this.#column = 0;
      this.#place = undefined;
      return;
    }
    if (this.#row === undefined) return;
    if (this.#properties === undefined && !PLAIN.has(name)) this.#row.isPlain = false;
    if (this.#properties === undefined && PROPERTIES.has(name)) this.#properties = depth;
    if (this.#place === undefined && name === 'w:p')
      this.#place = { at: tag.isEmpty ? undefined : tag.end, isFixed: false };
    else if (this.#place && this.#properties === undefined) this.#place.isFixed = true;
    // The lines that such a row cuts off at a joint would be others than in the whole table.
    if (name === 'w:trHeight' && tag.attribute('w:hRule') === 'exact') this.#isWhole = true;
    if (name === 'w:tblHeader') this.#row.isHead = !OFF.has(tag.attribute('w:val') ?? '');
    if (name === 'w:tcW') this.#shape += `${tag.attribute('w:w')} ${tag.attribute('w:type')};`;
    if (name === 'w:tc') this.#shape += '|';
    if (name === 'w:tcBorders') this.#edges = 0;
    if (name === 'w:top' || name === 'w:bottom') this.#edges++;
  }

  close({ start, end }: ElementSpan): void {
    if (this.#row === undefined) return;
    const name = this.#nameAt(start);
    if (this.#properties !== undefined && PROPERTIES.has(name)) {
      this.#properties = undefined;
      if (name === 'w:pPr' && this.#place?.isFixed === false) this.#place.at = end;
    }
    // A line above or below alone would be given to the next row when this one goes.
    if (name === 'w:tcBorders' && this.#edges === 1) this.#isWhole = true;
    if (name === 'w:tc') this.#endCell(this.#xml.slice(start, end));
    if (start === this.#row.start) this.#endRow(this.#row, end);
  }

  #endCell(xml: string): void {
    const bare = xml.replace(/>[^<]+</g, '><');
    const [shape, length] = [bare.replace(IDENTITIES, ''), xml.length - bare.length];
    const at = this.#column++;
    this.#columns[at] ??= { shapes: new Set(), shortest: length, longest: length };
    const { shapes, shortest, longest } = this.#columns[at];
    if (this.#rows.length < PIECE_ROWS) {
      shapes.add(shape);
      this.#columns[at] = {
        shapes,
        shortest: Math.min(shortest, length),
        longest: Math.max(longest, length),
      };
    } else if (!shapes.has(shape) || length < shortest || length > longest + GROWTH_MAX) {
      this.#looksEven = false;
    }
  }

  #nameAt(start: number): string {
    const local = /^<(?:[^\s<>/:]+:)?([^\s<>/]+)/.exec(this.#xml.slice(start, start + 100))?.[1] ?? '';
    return `w:${local}`;
  }

  #endRow(row: Row, end: number): void {
    row.end = end;
    this.#shapeOfAll ??= this.#shape;
    if (this.#shape !== this.#shapeOfAll) this.#isWhole = true;
    this.#rows.push(row);
    this.#marks.push(this.#place?.at);
    this.#row = undefined;
  }

  /**
   * The edits that split the table; none if it stays whole. `nameOf` returns the name of the bookmark in a piece.
   */
  pieces(nameOf: (piece: PieceMark) => string): Edit[] {
    const rows = this.#rows;
    const firstBody = rows.findIndex(({ isHead }) => !isHead);
    const heads = firstBody === -1 ? rows.length : firstBody;
    const isRepeatable = rows.slice(0, heads).every(({ isPlain }) => isPlain);
    if (this.#isWhole || heads > HEADS_MAX || !isRepeatable || this.#marks[0] === undefined) return [];
    const count = Math.floor((rows.length - heads) / PIECE_ROWS);
    const about = { pieces: count, looksEven: this.#looksEven };
    const edits = [markAt(this.#marks[0], nameOf({ ...about, piece: 0, overlap: 0 }))];
    let last = 0;
    for (let piece = 1; piece < count; piece++) {
      const nominal = Math.round((piece * rows.length) / count);
      const from = this.#sharedFrom(Math.max(nominal, last + SHARED_ROWS), heads);
      if (from === undefined) return [];
      last = from + SHARED_ROWS;
      const markedRow = heads > 0 ? 0 : from;
      const mark = markAt(this.#marks[markedRow] ?? 0, nameOf({ ...about, piece, overlap: SHARED_ROWS }));
      edits.push(this.#joint(from, heads, mark));
    }
    return edits;
  }

  /** The first of the rows that two pieces share. */
  #sharedFrom(nominal: number, heads: number): number | undefined {
    const { length } = this.#rows;
    let from = nominal + ((LOOK_ROWS - ((nominal - heads) % LOOK_ROWS)) % LOOK_ROWS);
    for (; from + 2 * SHARED_ROWS < length; from += LOOK_ROWS) {
      const shared = this.#rows.slice(from, from + SHARED_ROWS);
      const canHoldMark = heads > 0 || this.#marks[from] !== undefined;
      if (canHoldMark && shared.every(({ isPlain }) => isPlain)) return from;
    }
    return undefined;
  }

  /** Ends a piece behind the shared rows, and begins the next one with them. */
  #joint(from: number, heads: number, mark: Edit): Edit {
    const [first, shared] = [this.#rows[0], this.#rows.slice(from, from + SHARED_ROWS)];
    const end = shared.at(-1)?.end ?? 0;
    const copied = (start: number, to: number) => {
      const isMarked = mark.start >= start && mark.start < to;
      const text = this.#xml.slice(start, to);
      return isMarked ? applyMark(text, mark, start) : text;
    };
    const prefix = /^<([^\s<>/:]+:)?/.exec(this.#opening)?.[1] ?? '';
    const before = this.#xml.slice(this.start + this.#opening.length, first?.start);
    const headings = heads === 0 ? '' : copied(first?.start ?? 0, this.#rows[heads - 1]?.end ?? 0);
    const text = headings + copied(shared[0]?.start ?? 0, end);
    return { start: end, end, text: `</${prefix}tbl>${BETWEEN}${this.#opening}${before}${text}` };
  }
}

function applyMark(text: string, { start, text: mark }: Edit, from: number): string {
  return text.slice(0, start - from) + mark + text.slice(start - from);
}

/** A bookmark without content. Its number must not be that of another one. */
function markAt(at: number, name: string): Edit {
  const [, table = '', piece = ''] = /(\d+)_(\d+)/.exec(name) ?? [];
  const id = `9${table.padStart(3, '0')}${piece.padStart(4, '0')}`;
  const text = `<w:bookmarkStart ${W} w:id="${id}" w:name="${name}"/><w:bookmarkEnd ${W} w:id="${id}"/>`;
  return { start: at, end: at, text };
}
