import { MARKS, withoutPieceMarks } from '../generate/piece-marks.ts';

/** A paragraph, a table, a row, a cell, or what has them. */
export interface Element {
  name: string;
  start: number;
  openEnd: number;
  /** Where its end tag begins. */
  closeStart: number;
  end: number;
  parent: Element | undefined;
  children: Element[];
  /** The piece that a row lacks if it lacks this element, but not what is around it. */
  piece: MarkedPiece | undefined;
  unit: Unit | undefined;
  /** Of a paragraph. */
  places: number[];
}

/** A piece in the text of a form. */
interface MarkedPiece {
  number: number;
  outer: MarkedPiece | undefined;
  /** The element whose children it is, if it is whole ones. */
  container: Element | undefined;
  /** Nothing remains of it if the elements that have it as their piece are removed. */
  isWhole: boolean;
  isEmpty: boolean;
}

/** Adjacent elements of one piece: what the engine removes. Its marks stand in its first and its last paragraph. */
export interface Unit {
  number: number;
  kind: 'rows' | 'blocks';
  piece: MarkedPiece;
  elements: Element[];
  around: Unit | undefined;
  first: Element | undefined;
  last: Element | undefined;
}

export interface Skeleton {
  roots: Element[];
  paragraphs: Element[];
  /** By their number. */
  pieces: Map<number, MarkedPiece>;
  units: Unit[];
}

const TAG =
  /<(\/?)(w:(?:tbl|tr|tc|p|sdt|sdtContent|body|hdr|ftr|txbxContent))(?=[\s/>])[^>]*?(\/?)>|\u{F5C4}(\d+)\u{F5C5}|\u{F5C6}|\u{F5C0}(\d+)\u{F5C1}/gu;
/** What may stand between the elements of a piece. */
const BETWEEN = /^(?:\s|<w:(?:bookmarkStart|bookmarkEnd|proofErr)\b[^>]*\/>)*$/;
const BLOCKS: Record<string, readonly string[] | undefined> = {
  'w:tbl': ['w:tr'],
  'w:body': ['w:p', 'w:tbl'],
  'w:tc': ['w:p', 'w:tbl'],
  'w:hdr': ['w:p', 'w:tbl'],
  'w:ftr': ['w:p', 'w:tbl'],
};

/**
 * Finds the elements and the pieces in the text of a part with marks (`writtenTree`), and numbers the units from `firstUnit` on.
 * Undefined if tags or pieces do not match.
 */
export function skeletonOf(xml: string, firstUnit: number): Skeleton | undefined {
  const found = scan(xml);
  if (found === undefined) return undefined;
  const units: Unit[] = [];
  for (const root of found.roots) addUnits(root, undefined, units, firstUnit);
  return { ...found, units };
}

interface OpenPiece extends MarkedPiece {
  from: number;
  text: number;
}

function scan(xml: string): Omit<Skeleton, 'units'> | undefined {
  const [roots, paragraphs, open]: Element[][] = [[], [], []];
  const pieces = new Map<number, MarkedPiece>();
  const openPieces: OpenPiece[] = [];
  for (const match of xml.matchAll(TAG)) {
    const [token, close, name = '', isEmpty, piece, place] = match;
    const end = match.index + token.length;
    const parent = open?.at(-1);
    if (place !== undefined) open?.findLast((each) => each.name === 'w:p')?.places.push(Number(place));
    else if (piece !== undefined) {
      const outer = openPieces.at(-1);
      const marked = { number: Number(piece), outer, container: parent, isWhole: false, isEmpty: false };
      const opened = Object.assign(marked, { from: parent?.children.length ?? 0, text: end });
      pieces.set(opened.number, opened);
      openPieces.push(opened);
    } else if (token === MARKS.pieceEnd) {
      const ended = openPieces.pop();
      if (ended === undefined) return undefined;
      if (ended.container === parent) judge(ended, xml.slice(ended.text, match.index), parent, ended.text);
    } else if (close === '/') {
      if (parent?.name !== name) return undefined;
      Object.assign(parent, { closeStart: match.index, end });
      open?.pop();
    } else {
      const owner = openPieces.at(-1);
      const element: Element = {
        name,
        start: match.index,
        openEnd: end,
        closeStart: end,
        end,
        parent,
        children: [],
        piece: owner !== undefined && owner.container === parent ? owner : undefined,
        unit: undefined,
        places: [],
      };
      (parent?.children ?? roots)?.push(element);
      if (name === 'w:p') paragraphs?.push(element);
      if (isEmpty !== '/') open?.push(element);
    }
  }
  if (open?.length !== 0 || openPieces.length > 0) return undefined;
  return { roots: roots ?? [], paragraphs: paragraphs ?? [], pieces };
}

/** Decides whether a piece that ends is whole elements. */
function judge(piece: OpenPiece, text: string, parent: Element | undefined, offset: number): void {
  const own = parent?.children.slice(piece.from) ?? [];
  let at = 0;
  let between = '';
  for (const { start, end } of own) {
    between += text.slice(at, start - offset);
    at = end - offset;
  }
  between = withoutPieceMarks(between + text.slice(at));
  const names = BLOCKS[parent?.name ?? ''];
  piece.isEmpty = own.length === 0 && between === '';
  piece.isWhole =
    piece.isEmpty ||
    (BETWEEN.test(between) && own.length > 0 && own.every(({ name }) => names?.includes(name)));
}

function addUnits(element: Element, around: Unit | undefined, units: Unit[], firstUnit: number): void {
  let last: Unit | undefined;
  for (const child of element.children) {
    if (child.piece === undefined) last = undefined;
    else if (last?.piece === child.piece) last.elements.push(child);
    else {
      last = {
        number: firstUnit + units.length,
        kind: element.name === 'w:tbl' ? 'rows' : 'blocks',
        piece: child.piece,
        elements: [child],
        around,
        first: undefined,
        last: undefined,
      };
      units.push(last);
    }
    child.unit = last;
    addUnits(child, last ?? around, units, firstUnit);
  }
  for (const child of element.children) setMarked(child.unit);
}

function setMarked(unit: Unit | undefined): void {
  if (unit === undefined || unit.first !== undefined) return;
  unit.first = markedParagraph(unit.elements[0]);
  unit.last = markedParagraph(unit.elements.at(-1));
}

/** A paragraph that is there as long as the row, the table or the paragraph itself. */
function markedParagraph(element: Element | undefined): Element | undefined {
  if (element === undefined || element.name === 'w:p') return element;
  // The engine finds the text around a table only in the body.
  if (element.name === 'w:tbl' && element.parent?.name !== 'w:body') return undefined;
  const rows =
    element.name === 'w:tbl' ? element.children.filter(({ piece }) => piece === undefined) : [element];
  for (const row of rows)
    for (const cell of row.children)
      for (const inner of cell.children)
        if (cell.piece === undefined && inner.piece === undefined && inner.name === 'w:p') return inner;
  return undefined;
}
