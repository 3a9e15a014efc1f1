import { lineWidth, normalAppearance, numbersIn } from '../read/annotations.ts';
import type { PdfDocument } from '../read/document.ts';
import { type Box, inheritedFrom, readBox, turnOf } from '../read/pages.ts';
import { Dict, isName, type Stream } from '../read/values.ts';
import type { Comparison } from './comparison.ts';
import type { Drawing, Mark } from './drawing.ts';
import { signatureOf } from './field.ts';
import { objectValue } from './object-usage.ts';
import { isHidden, nameText, seenBox, shownBox } from './shown-annotations.ts';

/** Kinds that are transparent or draw a small icon (ISO 32000-2, 12.5.6). */
const SEE_THROUGH: ReadonlySet<string> = new Set([
  'Highlight',
  'Underline',
  'Squiggly',
  'StrikeOut',
  'Text',
  'Popup',
  'Ink',
  'Link',
  'Caret',
  'Sound',
]);
/** Kinds that draw only lines unless they are filled. */
const OUTLINES: ReadonlySet<string> = new Set(['Square', 'Circle', 'Polygon', 'PolyLine', 'Line']);
/** Kinds that readers draw alike without an appearance: not at all, as a frame, or as an icon. */
const DRAWN_ALIKE: ReadonlySet<string> = new Set(['Link', 'Text', 'Popup', 'Widget']);
const POINTS_OF_QUAD = 8;
/** The largest page, in points (ISO 32000-2, annex C.1). */
const PAGE_SIDE_MAX = 14_400;
/** In points. */
const ICON = 24;
/** A flag of annotations (ISO 32000-2, table 167). */
const NO_ROTATE = 16;
/** In points; a wider line hides what lies below it. */
const LINE_WIDTH_MAX = 12;
/** The share of a rectangle ignored at each side, for borders and margins; at most INSET_MAX points. */
const INSET = 0.1;
const INSET_MAX = 5;
/** The share of a rectangle ignored at its foot, where a signature may stand on text; at most FOOT_MAX points. */
const FOOT = 0.2;
const FOOT_MAX = 15;
/** Share of the image, or of the rectangle if that is smaller. */
const IMAGE_SHARE_MIN = 0.05;
/** Share of the letter height, and of the width in em; a smaller hit does not hide a letter. */
const TEXT_HEIGHT_SHARE_MIN = 0.3;
const TEXT_WIDTH_MIN = 0.4;
/** Share of the letter height at head and foot that a frame may touch. */
const RIM = 0.2;
/** This many small parts are a code or a drawing; fewer may be the rules of a table. */
const PIECES_MIN = 12;

const overlap = (a: Box, b: Box): { width: number; height: number } => ({
  width: Math.max(0, Math.min(a[2], b[2]) - Math.max(a[0], b[0])),
  height: Math.max(0, Math.min(a[3], b[3]) - Math.max(a[1], b[1])),
});

function inset([left, bottom, right, top]: Box): Box {
  const [x, y] = [right - left, top - bottom].map((side) => Math.min(side * INSET, INSET_MAX)) as [
    number,
    number,
  ];
  return [left + x, bottom + y, right - x, top - y];
}

const areaOf = ([left, bottom, right, top]: Box): number => (right - left) * (top - bottom);

export const areApart = (a: Box, b: Box): boolean =>
  a[0] >= b[2] || b[0] >= a[2] || a[1] >= b[3] || b[1] >= a[3];

function hidesText(box: Box, { box: text, em }: Mark, paints: boolean): boolean {
  if (areApart(box, text)) return false;
  const foot = box[1] + Math.min((box[3] - box[1]) * FOOT, FOOT_MAX);
  // An annotation that paints hides text at its foot too.
  if (!paints && text[3] <= foot) return false;
  const { width, height } = overlap(inset(box), text);
  // The box of rotated text is as high as the text is long, so the letter size sets the limit.
  const least = Math.min(em, text[2] - text[0], text[3] - text[1]);
  return width > least * TEXT_WIDTH_MIN && height > least * TEXT_HEIGHT_SHARE_MIN;
}

function hidesImage(box: Box, { box: image }: Mark): boolean {
  if (areApart(box, image)) return false;
  const { width, height } = overlap(inset(box), image);
  return width * height > IMAGE_SHARE_MIN * Math.min(areaOf(box), areaOf(image));
}

/** Whether an annotation can cover something, given its kind and its drawing. */
function canCover(document: PdfDocument, annotation: Dict, drawing: Drawing | undefined): boolean {
  const kind = nameText(document.get(annotation, 'Subtype'));
  const hasInterior = document.get(annotation, 'IC') !== null;
  if (drawing && !drawing.paints && drawing.marks.length === 0) return false;
  if (OUTLINES.has(kind)) return hasInterior || drawing !== undefined;
  if (!SEE_THROUGH.has(kind)) return true;
  const style = document.dict(annotation, 'BS');
  const width = style ? document.get(style, 'W') : null;
  if (typeof width === 'number' && width > LINE_WIDTH_MAX) return true;
  if (!drawing) return document.get(annotation, 'AP') !== null;
  return drawing.marks.length > 0 || drawing.hides;
}

/** The four sides of a frame. */
function sidesOf([left, bottom, right, top]: Box, width: number): Box[] {
  const side = Math.max(width, 1);
  return [
    [left, bottom, right, bottom + side],
    [left, top - side, right, top],
    [left, bottom, left + side, top],
    [right - side, bottom, right, top],
  ];
}

/**
 * The boxes where readers draw a link, a note or a field without an appearance; undefined if they draw it each in its own way.
 * Line endings, captions and leader lines may be anywhere.
 */
function drawnBoxes(document: PdfDocument, annotation: Dict, stays: boolean): Box[] | undefined {
  const kind = nameText(document.get(annotation, 'Subtype'));
  const quads = numbersIn(document, document.get(annotation, 'QuadPoints'));
  const numbers = [...quads, ...numbersIn(document, document.get(annotation, 'Rect'))];
  const isNear = numbers.every((number) => Math.abs(number) <= PAGE_SIDE_MAX);
  if (!DRAWN_ALIKE.has(kind) || quads.length % POINTS_OF_QUAD !== 0 || !isNear) return undefined;
  if (kind === 'Text') return iconsOf(document, annotation, stays);
  const colors = kind === 'Widget' ? document.dict(annotation, 'MK') : undefined;
  const hasColor = (key: string) => colors !== undefined && document.get(colors, key) !== null;
  const box = kind === 'Link' || hasColor('BC') || hasColor('BG') ? seenBox(document, annotation) : undefined;
  if (box && hasColor('BG')) return [box];
  const width = lineWidth(document, annotation);
  return box && width > 0 ? sidesOf(box, width) : [];
}

/** The upper left of a field that waits for a signature, where MuPDF draws a tab, whatever the look. */
const tabOf = ([left, bottom, right, top]: Box): Box => [
  left,
  top - (top - bottom) / 4,
  left + (right - left) / 3,
  top,
];

/** Icons begin at the upper left of their rectangle and have a fixed size. */
function iconsOf(document: PdfDocument, annotation: Dict, stays: boolean): Box[] | undefined {
  const [a, b, c, d] = numbersIn(document, document.get(annotation, 'Rect'));
  if (a === undefined || b === undefined || c === undefined || d === undefined) return undefined;
  const [left, top] = [Math.min(a, c), Math.max(b, d)];
  return [stays ? aroundCorner([left, top, left, top], ICON) : [left, top - ICON, left + ICON, top]];
}

/**
 * Whether an annotation with a new or changed look may hide earlier content of its page. Also true if that is
 * undetermined.
 */
export function covers(c: Comparison, page: number, num: number, annotation: Dict): boolean {
  if (isHidden(annotation)) return false;
  const drawing = c.marks.ofAppearance(c.newer, annotation);
  const look = normalAppearance(c.newer, annotation);
  if (hasStates(c.newer, annotation) || (look && (!drawing || drawing.escapes || !hasBox(c.newer, look))))
    return true;
  const stays = staysUpright(c, page, annotation);
  const [isWidget, isLink] = ['Widget', 'Link'].map((kind) =>
    isName(c.newer.get(annotation, 'Subtype'), kind),
  );
  const isBare = !(look && hasArea(c.newer, look));
  // Poppler draws the frame of a link even if it has an appearance.
  const own = isBare || isLink ? drawnBoxes(c.newer, annotation, stays) : [];
  if (own?.some((box) => touches(c, page, num, box)) ?? true) return true;
  if (isBare && !isWidget) return false;
  const isWaiting = isWidget && signatureOf(c.newer, annotation) === undefined;
  const place = seenBox(c.newer, annotation, isWaiting);
  if (isWaiting && place && touches(c, page, num, tabOf(place))) return true;
  const box =
    place && stays ? aroundCorner(place, Math.max(place[2] - place[0], place[3] - place[1])) : place;
  if (!box || !(isWaiting || canCover(c.newer, annotation, drawing))) return false;
  return liesOver(c, page, num, box, isWaiting || drawing?.paints === true);
}

/** Whether an annotation does not turn with its page: its upper left corner stays, and the rest lies elsewhere. */
function staysUpright(c: Comparison, page: number, annotation: Dict): boolean {
  const dict = objectValue(c.newer, page);
  if (!(dict instanceof Dict) || turnOf(inheritedFrom(c.newer, dict, 'Rotate')) === 0) return false;
  const flags = c.newer.get(annotation, 'F');
  return (
    isName(c.newer.get(annotation, 'Subtype'), 'Text') ||
    (flags !== null && !(typeof flags === 'number' && (flags & NO_ROTATE) === 0))
  );
}

const aroundCorner = ([left, , , top]: Box, side: number): Box => [
  left - side,
  top - side,
  left + side,
  top + side,
];

/** Readers use the first four numbers of a longer box. Without them, each draws otherwise. */
function hasBox(document: PdfDocument, { dict }: Stream): boolean {
  const box = document.get(dict, 'BBox');
  const sides = Array.isArray(box) ? box.slice(0, 4).map((side) => document.resolve(side)) : [];
  return sides.length === 4 && sides.every((side) => typeof side === 'number');
}

/** A look without an area does not count. */
function hasArea(document: PdfDocument, { dict }: Stream): boolean {
  const box = document.get(dict, 'BBox');
  return readBox(Array.isArray(box) ? box.slice(0, 4) : null, document) !== undefined;
}

/** Readers differ in the state they show if none is named, and draw a comment in their own way. */
function hasStates(document: PdfDocument, annotation: Dict): boolean {
  const looks = document.dict(annotation, 'AP');
  return looks !== undefined && document.dict(looks, 'N') !== undefined;
}

/** Whether page content lies where a reader draws the annotation itself. */
function touches(c: Comparison, page: number, num: number, box: Box): boolean {
  const marks = c.marks.ofPage(c.older, page);
  if (!marks) return true;
  const shown = c.shownOn('older', page);
  c.budget.spend('overlaps', marks.length + shown.length);
  // Only a mark over the middle of a line of text obstructs it.
  const isHit = ({ kind, box: [left, bottom, right, top] }: Mark) => {
    const rim = kind === 'image' ? 0 : Math.min(top - bottom, right - left) * RIM;
    return !areApart(box, [left + rim, bottom + rim, right - rim, top - rim]);
  };
  const hits = marks.filter(isHit);
  const pieces = hits.filter(({ kind }) => kind === 'piece');
  return (
    hits.length > pieces.length ||
    pieces.length >= PIECES_MIN ||
    shown.some((other) => other.num !== num && isHit(other.mark))
  );
}

/** Whether a removed or altered annotation showed content or lay over something. */
export function uncovers(c: Comparison, page: number, num: number, annotation: Dict): boolean {
  if (shownBox(c.older, annotation)) return true;
  const box = seenBox(c.older, annotation);
  const drawing = c.marks.ofAppearance(c.older, annotation);
  const saysSomething = drawing ? drawing.marks.length > 0 : normalAppearance(c.older, annotation);
  if (box && saysSomething) return true;
  if (!box || !canCover(c.older, annotation, drawing)) return false;
  return liesOver(c, page, num, box, true);
}

/**
 * Whether filling in an existing field newly paints over text at its place, or mixes with what another annotation shows there.
 * The place itself was known to earlier signers.
 */
export function fillingCovers(c: Comparison, page: number, num: number, before: Dict, now: Dict): boolean {
  const box = seenBox(c.newer, now);
  if (!box) return false;
  // Not all readers paint the ground of a field without a look: what lies below it may appear.
  if (!normalAppearance(c.newer, now)) {
    const isConcealing =
      normalAppearance(c.older, before) && c.marks.ofAppearance(c.older, before)?.paints !== false;
    return isConcealing === true && touches(c, page, num, box);
  }
  if (c.marks.ofAppearance(c.newer, now)?.escapes !== false) return true;
  const shown = c.shownOn('newer', page);
  c.budget.spend('overlaps', shown.length);
  if (shown.some((other) => other.num !== num && hidesImage(box, other.mark))) return true;
  if (c.marks.ofAppearance(c.newer, now)?.paints === false) return false;
  if (c.marks.ofAppearance(c.older, before)?.paints) return false;
  const marks = c.marks.ofPage(c.older, page);
  c.budget.spend('overlaps', marks?.length ?? 0);
  return !marks || marks.some((mark) => mark.kind === 'text' && hidesText(box, mark, true));
}

function liesOver(c: Comparison, page: number, num: number, box: Box, paints: boolean): boolean {
  const marks = c.marks.ofPage(c.older, page);
  if (!marks) return true;
  // Text does not hide the image below it: scanned pages have an image below everything.
  const hides = (mark: Mark) =>
    mark.kind === 'image' ? paints && hidesImage(box, mark) : hidesText(box, mark, paints);
  const within = inset(box);
  const pieces = marks.filter(({ kind, box: piece }) => kind === 'piece' && !areApart(within, piece));
  if (paints && pieces.length >= PIECES_MIN) return true;
  const shown = c.shownOn('older', page);
  c.budget.spend('overlaps', marks.length + shown.length);
  if (marks.some((mark) => mark.kind !== 'piece' && hides(mark))) return true;
  return shown.some((other) => other.num !== num && hidesImage(box, other.mark));
}
