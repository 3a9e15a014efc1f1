import type { PdfDocument } from '../read/document.ts';
import { type Box, readBox } from '../read/pages.ts';
import { Dict, isName, Name, PdfString, type PdfValue, Ref } from '../read/values.ts';
import type { ShownAnnotation } from './comparison.ts';
import { inheritedField } from './field.ts';
import { objectValue } from './object-usage.ts';

/** Existing annotations that show something of their own. */
const SHOWING: ReadonlySet<string> = new Set(['FreeText', 'Stamp', 'Widget']);
const HIDDEN = 2;
const ANYWHERE: Box = [-1e6, -1e6, 1e6, 1e6];
const ANNOTATIONS_MAX = 2_000;

export const nameText = (value: PdfValue): string => (value instanceof Name ? value.text : '');

/** Readers differ in what they make of flags that are no plain integer. */
export function isHidden(annotation: Dict): boolean {
  const entry = annotation.entries.get('F');
  if (typeof entry?.value !== 'number' || (entry.value & HIDDEN) === 0) return false;
  return /^\d{1,5}$/.test(annotation.source.toString('latin1', entry.start, entry.end));
}

/** Where an annotation with an appearance is seen; undefined where it is not. One whose rectangle is none may be seen anywhere. */
export function seenBox(document: PdfDocument, annotation: Dict): Box | undefined {
  if (isHidden(annotation)) return undefined;
  const rectangle = document.get(annotation, 'Rect');
  if (!Array.isArray(rectangle)) return undefined;
  const corners = rectangle.map((corner) => document.resolve(corner));
  const isPlain = corners.length === 4 && corners.every((corner) => typeof corner === 'number');
  return isPlain ? readBox(corners, document) : ANYWHERE;
}

/** Where an annotation is that the page had before and that shows something: what a field says is content too. */
export function shownBox(document: PdfDocument, item: PdfValue): Box | undefined {
  const annotation = document.resolve(item);
  if (!(annotation instanceof Dict)) return undefined;
  const kind = nameText(document.get(annotation, 'Subtype'));
  if (!SHOWING.has(kind) || (kind === 'Widget' && !hasValue(document, annotation))) return undefined;
  return seenBox(document, annotation);
}

/** A signature that was drawn with a finger is content as well. */
function drawnByHand(document: PdfDocument, item: PdfValue): Box | undefined {
  const annotation = document.resolve(item);
  const isInk = annotation instanceof Dict && isName(document.get(annotation, 'Subtype'), 'Ink');
  return isInk ? seenBox(document, annotation) : undefined;
}

export function shownAnnotations(document: PdfDocument, page: number): ShownAnnotation[] {
  const dict = objectValue(document, page);
  const items = dict instanceof Dict ? document.get(dict, 'Annots') : null;
  return (Array.isArray(items) ? items : []).slice(0, ANNOTATIONS_MAX).flatMap((item) => {
    const box = shownBox(document, item) ?? drawnByHand(document, item);
    return box ? [{ num: item instanceof Ref ? item.num : 0, mark: { kind: 'image', box, em: 0 } }] : [];
  });
}

function hasValue(document: PdfDocument, widget: Dict): boolean {
  const value = inheritedField(document, widget, 'V');
  if (value instanceof PdfString) return value.text !== '';
  return value !== null && !isName(value, 'Off');
}
