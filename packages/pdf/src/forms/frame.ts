import { malformed } from '../pdf-error.ts';
import { lineWidth } from '../read/annotations.ts';
import type { PdfDocument } from '../read/document.ts';
import { readBox } from '../read/pages.ts';
import { type Dict, isName, type PdfValue } from '../read/values.ts';
import { literal } from '../write/literal.ts';
import { colorOperator } from './text-style.ts';

/** What is around the content of a widget. */
export interface Frame {
  /** In points, as the widget is read: turned ones are not on their side. */
  width: number;
  height: number;
  /** The width of the border; 0 if there is none. */
  border: number;
  /** Operators that draw the ground and the border. */
  drawn: string;
  /** The keys of the look: its box and its matrix. */
  keys: string;
}

const DASH_DEFAULT = 3;
const BORDER_MAX = 12;
const COORDINATE_MAX = 1_000_000;

/** Reads the frame of a widget (ISO 32000-2, tables 192 and 168); undefined without a rectangle. */
export function frameOf(document: PdfDocument, widget: Dict): Frame | undefined {
  const box = readBox(document.get(widget, 'Rect'), document);
  if (!box) return undefined;
  if (box.some((side) => Math.abs(side) > COORDINATE_MAX))
    throw malformed(`a form field is more than ${COORDINATE_MAX} points away`);
  const facts = document.dict(widget, 'MK');
  const turn = turnOfWidget(facts ? document.get(facts, 'R') : null);
  const [across, up] = [box[2] - box[0], box[3] - box[1]];
  const [width, height] = turn % 180 === 0 ? [across, up] : [up, across];
  const color = (key: string, isStroke: boolean) => colorOf(document, facts, key, isStroke);
  const stroke = color('BC', true);
  const border = stroke === '' ? 0 : Math.min(BORDER_MAX, lineWidth(document, widget));
  const ground = color('BG', false);
  const size = [0, 0, width, height].map(literal.number).join(' ');
  const drawn =
    (ground === '' ? '' : `q ${ground} ${size} re f Q `) +
    (border === 0 ? '' : `q ${stroke} ${borderOperators(document, widget, { width, height, border })} Q `);
  return {
    width,
    height,
    border,
    drawn,
    keys: `/Type/XObject/Subtype/Form/BBox[${size}]${MATRICES[turn]?.(across, up) ?? ''}`,
  };
}

const MATRICES: Readonly<Record<number, (across: number, up: number) => string>> = {
  90: (across) => `/Matrix${literal.numbers([0, 1, -1, 0, across, 0])}`,
  180: (across, up) => `/Matrix${literal.numbers([-1, 0, 0, -1, across, up])}`,
  270: (_, up) => `/Matrix${literal.numbers([0, -1, 1, 0, 0, up])}`,
};

const turnOfWidget = (value: PdfValue): number =>
  typeof value === 'number' && value % 90 === 0 ? ((value % 360) + 360) % 360 : 0;

function colorOf(document: PdfDocument, facts: Dict | undefined, key: string, isStroke: boolean): string {
  const value = facts ? document.get(facts, key) : null;
  const parts = (Array.isArray(value) ? value : []).map((part) => document.resolve(part));
  return colorOperator(
    parts.filter((part) => typeof part === 'number'),
    isStroke,
  );
}

function borderOperators(
  document: PdfDocument,
  widget: Dict,
  { width, height, border }: { width: number; height: number; border: number },
): string {
  const style = document.dict(widget, 'BS');
  const kind = style ? document.get(style, 'S') : null;
  const line = `${literal.number(border)} w`;
  const half = border / 2;
  if (isName(kind, 'U'))
    return `${line} 0 ${literal.number(half)} m ${literal.number(width)} ${literal.number(half)} l S`;
  const dashes = style && isName(kind, 'D') ? document.get(style, 'D') : null;
  const lengths = (Array.isArray(dashes) ? dashes : [])
    .filter((item) => typeof item === 'number' && item > 0)
    .map((item) => literal.number(Number(item)));
  const dash = isName(kind, 'D') ? ` [${lengths.slice(0, 2).join(' ') || DASH_DEFAULT}] 0 d` : '';
  const box = [half, half, width - border, height - border].map(literal.number).join(' ');
  return `${line}${dash} ${box} re S`;
}
