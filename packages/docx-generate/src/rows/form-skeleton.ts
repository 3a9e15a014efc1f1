import { childOf, type XmlNode } from '@scriptorium/ooxml/xml';
import { MARKS, withoutPieceMarks } from '../generate/piece-marks.ts';

/** A paragraph, a table, a row, a cell, or what has them. */
export interface Element {
  node: XmlNode;
  name: string;
  parent: Element | undefined;
  /** Its place in the children of `parent`. */
  index: number;
  children: Element[];
  /** The piece that a row lacks if it lacks this element, but not what is around it. */
  piece: MarkedPiece | undefined;
  unit: Unit | undefined;
  /** Places of a paragraph. */
  places: number[];
}

/** A piece in the text of a form. */
interface MarkedPiece {
  number: number;
  outer: MarkedPiece | undefined;
  /** The element whose children it is, if it is whole ones. */
  container: Element | undefined;
  /** The body has it, and nothing remains of it if the elements that have it as their piece are removed. */
  isWhole: boolean;
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

const NAMES = 'tbl tr tc p sdt sdtContent body hdr ftr txbxContent';
/** As documents write them: with another prefix, they belong to no piece. */
const STRUCTURE: ReadonlySet<string> = new Set(NAMES.split(' ').map((name) => `w:${name}`));
const MARK = /\u{F5C4}(\d+)\u{F5C5}|\u{F5C6}|\u{F5C0}(\d+)\u{F5C1}/gu;
/** What may stand between the elements of a piece. */
const BETWEEN = /^(?:\s|<w:(?:bookmarkStart|bookmarkEnd|proofErr)\b[^>]*\/>)*$/;
const BLOCKS: Record<string, readonly string[] | undefined> = {
  'w:tbl': ['w:tr'],
  'w:body': ['w:p', 'w:tbl'],
  'w:tc': ['w:p', 'w:tbl'],
};
/** What may be around a piece. A header is not: each section has its own copy, and the engine finds one mark. */
const AROUND: ReadonlySet<string> = new Set(['w:tbl', 'w:tr', 'w:tc', 'w:body', 'w:document']);

/**
 * Finds the elements and the pieces in the text of a part with marks (`writtenTree`), whose elements are those of `root`. Numbers
 * the units from `firstUnit` on. Undefined if the pieces do not match.
 */
export function skeletonOf(xml: string, root: XmlNode, firstUnit: number): Skeleton | undefined {
  const found = new Scan(xml).run(root);
  if (found === undefined) return undefined;
  const units: Unit[] = [];
  for (const top of found.roots) addUnits(top, undefined, units, firstUnit);
  return { ...found, units };
}

interface OpenPiece extends MarkedPiece {
  /** The element of the text that is directly around its marks. */
  node: XmlNode | undefined;
  from: number;
  text: number;
}

/** Reads the marks of a text between its elements. */
class Scan {
  readonly #xml: string;
  readonly #marks: RegExpExecArray[];
  readonly #roots: Element[] = [];
  readonly #paragraphs: Element[] = [];
  readonly #pieces = new Map<number, MarkedPiece>();
  readonly #open: OpenPiece[] = [];
  #at = 0;
  #matches = true;

  constructor(xml: string) {
    this.#xml = xml;
    this.#marks = [...xml.matchAll(MARK)];
  }

  run(root: XmlNode): Omit<Skeleton, 'units'> | undefined {
    this.#visit(root, undefined, undefined);
    if (!this.#matches || this.#open.length > 0) return undefined;
    return { roots: this.#roots, paragraphs: this.#paragraphs, pieces: this.#pieces };
  }

  #visit(node: XmlNode, outer: XmlNode | undefined, parent: Element | undefined): void {
    this.#readMarks(node.start, outer, parent);
    const element = this.#elementOf(node, parent);
    for (const child of node.children) this.#visit(child, node, element ?? parent);
    this.#readMarks(node.closeStart, node, element ?? parent);
  }

  #elementOf(node: XmlNode, parent: Element | undefined): Element | undefined {
    const { name, start } = node;
    if (!STRUCTURE.has(name) || !this.#xml.startsWith(`<${name}`, start)) return undefined;
    const owner = this.#open.at(-1);
    const siblings = parent?.children ?? this.#roots;
    const isOwn = owner !== undefined && owner.container === parent && owner.node === node.parent;
    const element: Element = {
      node,
      name,
      parent,
      index: siblings.length,
      children: [],
      piece: isOwn ? owner : undefined,
      unit: undefined,
      places: [],
    };
    siblings.push(element);
    if (name === 'w:p') this.#paragraphs.push(element);
    return element;
  }

  /** Reads the marks up to an offset. They stand in a node. */
  #readMarks(to: number, node: XmlNode | undefined, parent: Element | undefined): void {
    for (let mark = this.#marks[this.#at]; mark !== undefined && mark.index < to; ) {
      const [token, piece, place] = mark;
      const text = mark.index + token.length;
      if (place !== undefined) paragraphOf(parent)?.places.push(Number(place));
      else if (piece !== undefined) {
        const [outer, from] = [this.#open.at(-1), parent?.children.length ?? 0];
        const number = Number(piece);
        const opened = { number, outer, container: parent, isWhole: false, node, from, text };
        this.#pieces.set(number, opened);
        this.#open.push(opened);
      } else if (token === MARKS.pieceEnd) {
        const ended = this.#open.pop();
        if (ended === undefined) this.#matches = false;
        else if (ended.node === node) judge(ended, this.#xml.slice(ended.text, mark.index));
      }
      mark = this.#marks[++this.#at];
    }
  }
}

function paragraphOf(element: Element | undefined): Element | undefined {
  let paragraph = element;
  while (paragraph !== undefined && paragraph.name !== 'w:p') paragraph = paragraph.parent;
  return paragraph;
}

/** Decides whether a piece that ends is whole elements. */
function judge(piece: OpenPiece, text: string): void {
  const own = piece.container?.children.slice(piece.from) ?? [];
  let at = 0;
  let between = '';
  for (const { node } of own) {
    between += text.slice(at, node.start - piece.text);
    at = node.end - piece.text;
  }
  between = withoutPieceMarks(between + text.slice(at));
  const names = BLOCKS[piece.container?.name ?? ''];
  const isEmpty = own.length === 0 && between === '';
  const isWhole = own.length > 0 && own.every(({ name }) => names?.includes(name)) && BETWEEN.test(between);
  piece.isWhole = isEmpty || (isWhole && isInBody(piece.node));
}

function isInBody(node: XmlNode | undefined): boolean {
  let top: XmlNode | undefined;
  for (let outer = node; outer !== undefined && outer.name !== ''; outer = outer.parent) {
    const properties = childOf(outer, 'w:tblPr');
    const isFloating = properties !== undefined && childOf(properties, 'w:tblpPr') !== undefined;
    if (!AROUND.has(outer.name) || isFloating) return false;
    top = outer;
  }
  return top?.name === 'w:document';
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
