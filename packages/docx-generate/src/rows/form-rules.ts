import { withoutPieceMarks } from '../generate/piece-marks.ts';
import type { Element, Skeleton, Unit } from './form-skeleton.ts';

/** Why a row cannot be what a form is without some of its pieces. */
export type Misfit = 'inline' | 'long' | 'break' | 'table' | 'empty';

/** What the engine keeps, or gives to what follows, if it removes a text with it. */
const STAYING =
  /<w:br\s[^>]*w:type="(?:page|column)"|<w:(?:sectPr|pageBreakBefore|footnoteReference|endnoteReference|commentReference|commentRangeStart)\b/;
const TEXT = /<w:t(?:\s[^>]*)?>[^<]/;
const PLACE = /\u{F5C0}\d+\u{F5C1}/gu;
const CONTINUES = /<w:vMerge(?:\s+w:val="continue")?\s*\/>/;
const HEADER_ROW = /<w:tblHeader\b(?!\s+w:val="(?:0|false|off)")/;
const ON = /"(?:1|true|on)"/;
const [NO_BANDS, LAST_ROW] = [0x200, 0x40];

/** Table styles of the document, as far as rows depend on those before them. */
export interface Bands {
  isThere: boolean;
  /** Rows after which the look of rows repeats; infinite if it is not known. */
  period: number;
}

export function bandsOf(styles: string): Bands {
  const sizes = [...styles.matchAll(/<w:tblStyleRowBandSize\s[^>]*w:val="(\d+)"/g)];
  return {
    isThere: /"band[12]Horz"/.test(styles),
    period: sizes.every(([, size]) => size === '1') ? 2 : Number.POSITIVE_INFINITY,
  };
}

/** What decides, by the text of a part of a form, whether the document of a row is what remains of the form. */
export class FormRules {
  readonly #xml: string;
  readonly #skeleton: Skeleton;
  readonly #bands: Bands;
  /** Of units. */
  readonly #isStaying = new Map<Unit, boolean>();
  readonly #hasText = new Map<Element, boolean>();

  constructor(xml: string, skeleton: Skeleton, bands: Bands) {
    this.#xml = xml;
    this.#skeleton = skeleton;
    this.#bands = bands;
  }

  /** `isGone`: the row lacks a piece, by its number. `textOf`: its text at a place. */
  misfit(isGone: (piece: number) => boolean, textOf: (place: number) => string): Misfit | undefined {
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

  #inElement(element: Element, isGone: (piece: number) => boolean): Misfit | undefined {
    const gone = (child: Element | undefined) => child?.piece !== undefined && isGone(child.piece.number);
    const there = element.children.filter((child) => !gone(child));
    if (there.length < element.children.length) {
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
    return children.every(
      ({ unit }, at) =>
        !gone(children[at] as Element) ||
        (unit?.first !== undefined && unit.last !== undefined && !this.#stays(unit)),
    );
  }

  #stays(unit: Unit): boolean {
    const before = this.#isStaying.get(unit);
    if (before !== undefined) return before;
    const text = this.#xml.slice(unit.elements[0]?.start, unit.elements.at(-1)?.end);
    const count = (type: string) => text.split(`w:fldCharType="${type}"`).length;
    const isStaying = STAYING.test(text) || count('begin') !== count('end');
    this.#isStaying.set(unit, isStaying);
    return isStaying;
  }

  /** Of a table, the first row and the last one have a look of their own, and so may every second one. */
  #inTable(
    table: Element,
    there: Element[],
    gone: (row: Element | undefined) => boolean,
  ): Misfit | undefined {
    const rows = table.children;
    if (!this.#isRemovable(table, gone)) return 'break';
    if (gone(rows[0]) || gone(rows.at(-1)) || there.length === 1) return 'table';
    const look = this.#lookOf(table);
    const moved = there.filter((row, at) => {
      const isLast = at === there.length - 1 && look.hasLast;
      return !isLast && (rows.indexOf(row) - at) % this.#bands.period !== 0;
    });
    if (look.hasBands && moved.length > 0) return 'table';
    const isCut = rows.some((row, at) => {
      const isEdge = gone(row) !== gone(rows[at - 1]) && at > 0;
      const text = isEdge || gone(row) ? this.#xml.slice(row.start, row.end) : '';
      return (isEdge && CONTINUES.test(text)) || (gone(row) && HEADER_ROW.test(text));
    });
    return isCut ? 'table' : undefined;
  }

  #lookOf(table: Element): { hasBands: boolean; hasLast: boolean } {
    const properties = this.#xml.slice(table.openEnd, table.children[0]?.start);
    const look = /<w:tblLook\b[^>]*>/.exec(properties)?.[0];
    const bits = Number.parseInt(/w:val="([\da-f]+)"/i.exec(look ?? '')?.[1] ?? '0', 16);
    const attribute = (name: string) => new RegExp(`w:${name}=("[^"]*")`).exec(look ?? '')?.[1];
    const is = (name: string, bit: number) => {
      const value = attribute(name);
      return value === undefined ? (bits & bit) !== 0 : ON.test(value);
    };
    const hasStyle = properties.includes('<w:tblStyle');
    return {
      hasBands: this.#bands.isThere && hasStyle && !is('noHBand', NO_BANDS),
      hasLast: is('lastRow', LAST_ROW),
    };
  }

  /** Of the body or a cell: it must not begin or end with another paragraph, and tables must not meet. */
  #inText(
    text: Element,
    there: Element[],
    gone: (child: Element | undefined) => boolean,
  ): Misfit | undefined {
    const { children, name } = text;
    if (!this.#isRemovable(text, gone)) return 'break';
    if (name !== 'w:body' && name !== 'w:tc') return 'inline';
    if (there.at(-1)?.name !== 'w:p') return 'table';
    if (name === 'w:body' && (gone(children[0]) || gone(children.at(-1)))) return 'break';
    const isAfterSection = children.some((child, at) => {
      const before = children[at - 1];
      return (
        gone(child) && before !== undefined && this.#xml.slice(before.start, before.end).includes('<w:sectPr')
      );
    });
    if (isAfterSection) return 'break';
    const meets = there.some(({ name: own, start }, at) => {
      const before = there[at - 1];
      const between = children.filter(
        (child) => child.start > (before?.start ?? start) && child.start < start,
      );
      return own === 'w:tbl' && before?.name === 'w:tbl' && between.length > 0;
    });
    return meets ? 'table' : undefined;
  }

  /** Whether a paragraph has no text but for the empty places of a row: its height is another one. */
  #isEmptied(
    paragraph: Element,
    isGone: (piece: number) => boolean,
    textOf: (place: number) => string,
  ): boolean {
    if (paragraph.places.length === 0 || !paragraph.places.every((place) => textOf(place) === ''))
      return false;
    for (let at: Element | undefined = paragraph; at !== undefined; at = at.parent)
      if (at.piece !== undefined && isGone(at.piece.number)) return false;
    const known = this.#hasText.get(paragraph);
    const xml = this.#xml.slice(paragraph.openEnd, paragraph.closeStart);
    const hasText = known ?? TEXT.test(withoutPieceMarks(xml).replace(PLACE, ''));
    this.#hasText.set(paragraph, hasText);
    return !hasText;
  }
}
