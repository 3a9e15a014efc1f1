import type { PdfDocument } from './document.ts';
import { Dict, Name, type PdfValue, Stream } from './values.ts';

/** Maximum number of coordinates that are read of one annotation. */
const NUMBERS_MAX = 100_000;

/** The form XObject that readers show of an annotation (ISO 32000-2, 12.5.5). */
export function normalAppearance(document: PdfDocument, annotation: Dict): Stream | undefined {
  const looks = document.get(annotation, 'AP');
  const normal = looks instanceof Dict ? document.get(looks, 'N') : null;
  if (normal instanceof Stream) return normal;
  const state = document.get(annotation, 'AS');
  if (!(normal instanceof Dict && state instanceof Name)) return undefined;
  const shown = document.get(normal, state.text);
  return shown instanceof Stream ? shown : undefined;
}

/** The line width of an annotation that the reader draws itself, in points (ISO 32000-2, 12.5.4). */
export function lineWidth(document: PdfDocument, annotation: Dict): number {
  const style = document.dict(annotation, 'BS');
  const border = document.get(annotation, 'Border');
  const widths = [
    style ? document.get(style, 'W') : null,
    Array.isArray(border) ? document.resolve(border[2] ?? null) : null,
  ];
  return (widths.find((width) => typeof width === 'number' && width >= 0) as number | undefined) ?? 1;
}

/** The numbers of an array and of the arrays in it, such as /InkList or /QuadPoints; at most 100,000. */
export function numbersIn(document: PdfDocument, value: PdfValue): number[] {
  const numbers: number[] = [];
  for (const item of Array.isArray(value) ? value : []) {
    const resolved = document.resolve(item);
    const parts = Array.isArray(resolved) ? resolved.map((part) => document.resolve(part)) : [resolved];
    for (const part of parts) if (typeof part === 'number') numbers.push(part);
    if (numbers.length > NUMBERS_MAX) break;
  }
  return numbers;
}
