import { isHeaderRow } from '@scriptorium/docx-template/template';
import { attributeOf, descendantsOf, type XmlNode } from '@scriptorium/ooxml/xml';
import { withoutPieceMarks } from '../generate/piece-marks.ts';
import type { Element, Skeleton, Unit } from './form-skeleton.ts';
import { isInGone } from './list-rules.ts';
import { hasAutomaticSpace, type ParagraphStyles } from './paragraph-styles.ts';
import { type Bands, lookOf } from './table-look.ts';

/** Why a row cannot be what a form is without some of its pieces. */
export type Misfit = 'inline' | 'long' | 'break' | 'table' | 'empty';

/** What the engine keeps, or gives to what follows, if it removes a text with it. */
const STAYING: ReadonlySet<string> = new Set([
  'w:sectPr',
  'w:pageBreakBefore',
  'w:framePr',
  'w:tblpPr',
  'w:footnoteReference',
  'w:endnoteReference',
  'w:commentReference',
  'w:commentRangeStart',
]);
/** What a table or a text with pieces may have beside its rows, paragraphs and tables. */
const BESIDE: ReadonlySet<string> = new Set([
  'w:tblPr',
  'w:tblGrid',
  'w:tcPr',
  'w:sectPr',
  'w:bookmarkStart',
  'w:bookmarkEnd',
  'w:proofErr',
]);
const PLACE = /\u{F5C0}\d+\u{F5C1}/gu;

type IsGone = (piece: number) => boolean;

/** What decides, by the text of a part of a form, whether the document of a row is what remains of the form. */
export class FormRules {
  readonly #xml: string;
  readonly #skeleton: Skeleton;
  readonly #bands: Bands;
  readonly #hasAutomaticSpace: boolean;
  /** By unit. */
  readonly #isStaying = new Map<Unit, boolean>();
  readonly #hasText = new Map<Element, boolean>();
  /** Which children follow a break, by an element that has children with pieces. Undefined if it has unknown children. */
  readonly #breaks = new Map<Element, readonly boolean[] | undefined>();

  constructor(xml: string, skeleton: Skeleton, bands: Bands, styles: ParagraphStyles) {
    this.#xml = xml;
    this.#skeleton = skeleton;
    this.#bands = bands;
    this.#hasAutomaticSpace =
      styles.isGeneral(hasAutomaticSpace) ||
      skeleton.paragraphs.some(({ node }) => [...styles.propertiesOf(node)].some(hasAutomaticSpace));
  }

  /** `isGone`: the row lacks a piece, by its number. `textOf`: its text at a place. */
  misfit(isGone: IsGone, textOf: (place: number) => string): Misfit | undefined {
    for (const { number, outer, isWhole } of this.#skeleton.pieces.values()) {
      const isOutermost = isGone(number) && (outer === undefined || !isGone(outer.number));
      if (isOutermost && !isWhole) return 'inline';
    }
    for (const root of this.#skeleton.roots) {
      const misfit = this.#inElement(root, isGone);
      if (misfit !== undefined) return misfit;
    }
    return this.#skeleton.paragraphs.some((paragraph) => this.#isEmptied(paragraph, isGone, textOf))
      ? 'empty'
      : undefined;
  }

  #inElement(element: Element, isGone: IsGone): Misfit | undefined {
    const gone = (child: Element | undefined) => child?.piece !== undefined && isGone(child.piece.number);
    const there = element.children.filter((child) => !gone(child));
    if (there.length < element.children.length) {
      if (!this.#isRemovable(element, gone)) return 'break';
      if (this.#breaksBefore(element) === undefined) return 'inline';
      const misfit =
        element.name === 'w:tbl' ? this.#inTable(element, there, gone) : this.#inText(element, there, gone);
      if (misfit !== undefined) return misfit;
    }
    for (const child of there) {
      const misfit = this.#inElement(child, isGone);
      if (misfit !== undefined) return misfit;
    }
    return undefined;
  }

  #isRemovable({ children }: Element, gone: (child: Element) => boolean): boolean {
    return children.every((child) => {
      const { unit } = child;
      if (!gone(child)) return true;
      const isMarked = unit?.first !== undefined && unit.last !== undefined;
      return isMarked && !this.#stays(unit) && !this.#isAfterBreak(child);
    });
  }

  #stays(unit: Unit): boolean {
    const isStaying = this.#isStaying.get(unit) ?? unit.elements.some(({ node }) => stays(node));
    this.#isStaying.set(unit, isStaying);
    return isStaying;
  }

  /** Whether the engine may give a break before an element to this one. */
  #isAfterBreak(element: Element): boolean {
    for (let at = element; at.parent !== undefined; at = at.parent) {
      if (this.#breaksBefore(at.parent)?.[at.index]) return true;
      if (at.index > 0) return false;
    }
    return false;
  }

  #breaksBefore(element: Element): readonly boolean[] | undefined {
    const { node, children } = element;
    if (this.#breaks.has(element)) return this.#breaks.get(element);
    const own = new Set(children.map((child) => child.node));
    const isKnown = node.children.every((child) => own.has(child) || BESIDE.has(child.name));
    let isAfter = false;
    const breaks = children.map(({ name, node: child }) => {
      const before = isAfter;
      isAfter = hasBreak(child) || (name !== 'w:p' && isAfter);
      return before;
    });
    const known = isKnown ? breaks : undefined;
    this.#breaks.set(element, known);
    return known;
  }

  /** The first and the last row of a table have a look of their own, and so may every second one. */
  #inTable(
    table: Element,
    there: Element[],
    gone: (row: Element | undefined) => boolean,
  ): Misfit | undefined {
    const rows = table.children;
    const [first, last] = [rows[0], rows.at(-1)];
    if (gone(first) || gone(last) || there.length === 1) return 'table';
    if (there.some(({ name }) => name !== 'w:tr')) return 'table';
    const look = lookOf(table.node, this.#bands);
    const moved = there.some((row, at) => {
      const isLast = at === there.length - 1 && look.hasLast;
      return !isLast && (row.index - at) % look.period !== 0;
    });
    if (look.hasBands && moved) return 'table';
    const isCut = rows.some((row, at) => {
      const isEdge = at > 0 && gone(row) !== gone(rows[at - 1]);
      return (isEdge && continuesCell(row.node)) || (gone(row) && isHeaderRow(row.node));
    });
    return isCut ? 'table' : undefined;
  }

  /** The body or a cell must not begin or end with another paragraph, and tables must not meet. */
  #inText(
    { children, name }: Element,
    there: Element[],
    gone: (child: Element | undefined) => boolean,
  ): Misfit | undefined {
    if (this.#hasAutomaticSpace) return 'break';
    if (there.at(-1)?.name !== 'w:p') return 'table';
    if (name === 'w:body' && (gone(children[0]) || gone(children.at(-1)))) return 'break';
    const meets = there.some(({ name: own, index }, at) => {
      const before = there[at - 1];
      const isBesideGone = index - (before?.index ?? -1) > 1;
      // A control may begin or end with a table.
      return isBesideGone && own !== 'w:p' && before?.name !== 'w:p';
    });
    return meets ? 'table' : undefined;
  }

  /** Whether a paragraph has no text but for the empty places of a row: its height is another one. */
  #isEmptied(paragraph: Element, isGone: IsGone, textOf: (place: number) => string): boolean {
    if (paragraph.places.length === 0 || !paragraph.places.every((place) => textOf(place) === ''))
      return false;
    if (isInGone(paragraph, isGone)) return false;
    const hasText = this.#hasText.get(paragraph) ?? showsText(this.#xml, paragraph.node);
    this.#hasText.set(paragraph, hasText);
    return !hasText;
  }
}

function isBreak(node: XmlNode): boolean {
  const type = node.name === 'w:br' ? attributeOf(node, 'w:type') : undefined;
  return type === 'page' || type === 'column';
}

function hasBreak(node: XmlNode): boolean {
  for (const inner of descendantsOf(node)) if (inner.name === 'w:sectPr' || isBreak(inner)) return true;
  return false;
}

function stays(node: XmlNode): boolean {
  let fields = 0;
  for (const inner of descendantsOf(node)) {
    if (STAYING.has(inner.name) || isBreak(inner)) return true;
    const type = inner.name === 'w:fldChar' ? attributeOf(inner, 'w:fldCharType') : undefined;
    if (type === 'begin') fields++;
    else if (type === 'end') fields--;
  }
  return fields !== 0;
}

/** Whether a cell of a row, or of a table in it, continues the one above. */
function continuesCell(row: XmlNode): boolean {
  for (const node of descendantsOf(row))
    if (node.name === 'w:vMerge' && attributeOf(node, 'w:val') !== 'restart') return true;
  return false;
}

function showsText(xml: string, paragraph: XmlNode): boolean {
  for (const { name, openEnd, closeStart } of descendantsOf(paragraph))
    if (name === 'w:t' && withoutPieceMarks(xml.slice(openEnd, closeStart)).replace(PLACE, '') !== '')
      return true;
  return false;
}
