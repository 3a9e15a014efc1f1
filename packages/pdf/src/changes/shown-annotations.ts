import type { PdfDocument } from '../read/document.ts';
import { type Box, readBox } from '../read/pages.ts';
import { Dict, isName, Name, PdfString, type PdfValue, Ref } from '../read/values.ts';
import type { Mark } from './drawing.ts';
import { inheritedField } from './field.ts';
import { objectValue } from './object-usage.ts';

/** Kinds of annotations with visible content. */
const SHOWING: ReadonlySet<string> = new Set(['FreeText', 'Stamp', 'Widget']);
const HIDDEN = 2;
const ANYWHERE: Box = [-1e6, -1e6, 1e6, 1e6];
const ANNOTATIONS_MAX = 2_000;
/** Beyond it, numbers of readers overflow. */
const COORDINATE_MAX = 1e6;

/** An annotation with visible content, and its place. */
export interface ShownAnnotation {
  num: number;
  mark: Mark;
}

export const nameText = (value: PdfValue): string => (value instanceof Name ? value.text : '');

/** Readers differ in how they interpret flags that are not a plain integer. */
export function isHidden(annotation: Dict): boolean {
  const entry = annotation.entries.get('F');
  if (typeof entry?.value !== 'number' || (entry.value & HIDDEN) === 0) return false;
  return /^\d{1,5}$/.test(annotation.source.toString('latin1', entry.start, entry.end));
}

/**
 * The visible box of an annotation; undefined if hidden. Without a usable rectangle, some readers draw its appearance over the
 * whole page.
 */
export function seenBox(document: PdfDocument, annotation: Dict, isDrawnAnyway = false): Box | undefined {
  if (isHidden(annotation)) return undefined;
  const rectangle = document.get(annotation, 'Rect');
  if (!Array.isArray(rectangle))
    return isDrawnAnyway || document.get(annotation, 'AP') !== null ? ANYWHERE : undefined;
  const corners = rectangle.map((corner) => document.resolve(corner));
  const isPlain =
    corners.length === 4 &&
    corners.every((corner) => typeof corner === 'number' && Math.abs(corner) <= COORDINATE_MAX);
  return isPlain ? readBox(corners, document) : ANYWHERE;
}

/** The box of an existing annotation with visible content. The value of a field counts as content. */
export function shownBox(document: PdfDocument, item: PdfValue): Box | undefined {
  const annotation = document.resolve(item);
  if (!(annotation instanceof Dict)) return undefined;
  const kind = nameText(document.get(annotation, 'Subtype'));
  if (!SHOWING.has(kind) || (kind === 'Widget' && !hasValue(document, annotation))) return undefined;
  return seenBox(document, annotation);
}

/** The box of a finger-drawn signature, which also counts as content. */
function drawnByHand(document: PdfDocument, item: PdfValue): Box | undefined {
  const annotation = document.resolve(item);
  const isInk = annotation instanceof Dict && isName(document.get(annotation, 'Subtype'), 'Ink');
  return isInk ? seenBox(document, annotation) : undefined;
}

function annotationsOf(document: PdfDocument, page: number): PdfValue[] {
  const dict = objectValue(document, page);
  const items = dict instanceof Dict ? document.get(dict, 'Annots') : null;
  return (Array.isArray(items) ? items : []).slice(0, ANNOTATIONS_MAX);
}

/** The boxes of the links of a page. */
export const linkBoxes = (document: PdfDocument, page: number): Box[] =>
  annotationsOf(document, page).flatMap((item) => {
    const annotation = document.resolve(item);
    const isLink = annotation instanceof Dict && isName(document.get(annotation, 'Subtype'), 'Link');
    const box = isLink ? seenBox(document, annotation) : undefined;
    return box ? [box] : [];
  });

export function shownAnnotations(document: PdfDocument, page: number): ShownAnnotation[] {
  return annotationsOf(document, page).flatMap((item) => {
    const box = shownBox(document, item) ?? drawnByHand(document, item);
    return box ? [{ num: item instanceof Ref ? item.num : 0, mark: { kind: 'image', box, em: 0 } }] : [];
  });
}

function hasValue(document: PdfDocument, widget: Dict): boolean {
  const value = inheritedField(document, widget, 'V');
  if (value instanceof PdfString) return value.text !== '';
  return value !== null && !isName(value, 'Off');
}
