import { graphemesOf, wrapText } from '@scriptorium/fonts/wrap-text';
import { literal } from '../write/literal.ts';
import type { FormFont } from './form-fonts.ts';
import type { Frame } from './frame.ts';

/** How a text stands in a field. */
export interface TextLayout {
  /** In points; 0 lets the text decide. */
  size: number;
  color: string;
  /** 0 left, 1 in the middle, 2 right. */
  alignment: number;
  isMultiline: boolean;
  /** The number of cells, one for each letter; 0 without cells. */
  cells: number;
}

const SIZE_MIN = 4;
const SIZE_MAX = 144;
/** The size of text of several lines if the form names none. */
const LINES_SIZE = 12;
/** In units of the font size. */
const LINE_HEIGHT = 1.15;
const ASCENT = 0.93;
const CAPITALS = 0.72;
const DEPTH = 0.22;
const PADDING_MIN = 1;
const ROUNDING = 0.01;
const LINES_MAX = 5_000;
/** A size becomes smaller by this share, but by a point at least. */
const STEPS = 20;

interface Line {
  text: string;
  x: number;
  y: number;
}

/** Returns the content of a look that shows a text; undefined if the text does not fit at a legible size. */
export function textLook(text: string, font: FormFont, layout: TextLayout, frame: Frame): string | undefined {
  const padding = Math.max(PADDING_MIN, frame.border);
  const room = {
    x: 2 * padding,
    width: frame.width - 4 * padding,
    height: frame.height - 2 * padding,
    y: padding,
  };
  const laidOut = text === '' ? { size: 0, lines: [] } : linesOf(text, font, layout, { frame, room });
  if (!laidOut) return undefined;
  const { size, lines } = laidOut;
  const clip = [padding, padding, frame.width - 2 * padding, frame.height - 2 * padding].map(literal.number);
  let [x, y] = [0, 0];
  const shown = lines.map((line) => {
    const move = `${literal.number(line.x - x)} ${literal.number(line.y - y)} Td`;
    [x, y] = [Number(literal.number(line.x)), Number(literal.number(line.y))];
    return `${move} ${font.show(line.text, size)}`;
  });
  const letters = shown.length === 0 ? '' : `BT ${layout.color} ${shown.join('\n')} ET `;
  return `${frame.drawn}/Tx BMC q ${clip.join(' ')} re W n ${letters}Q EMC`;
}

interface Room {
  frame: Frame;
  room: { x: number; y: number; width: number; height: number };
}

function linesOf(
  text: string,
  font: FormFont,
  layout: TextLayout,
  room: Room,
): { size: number; lines: Line[] } | undefined {
  if (layout.cells > 0) return inCells(text, font, layout, room);
  return layout.isMultiline ? inLines(text, font, layout, room) : inOneLine(text, font, layout, room);
}

/** The baseline that puts capital letters into the middle. */
function middle(size: number, { room }: Room): number {
  const low = (room.height - CAPITALS * size) / 2;
  return room.y + Math.max(low, Math.min(DEPTH * size, room.height - CAPITALS * size));
}

function inOneLine(text: string, font: FormFont, { size: wanted, alignment }: TextLayout, all: Room) {
  const { width, height, x } = all.room;
  const most = Math.min(wanted || SIZE_MAX, height / (wanted ? CAPITALS + DEPTH : LINE_HEIGHT));
  const own = font.width(text);
  const size = Math.min(most, own > 0 ? (width + ROUNDING) / own : most);
  if (size < Math.min(SIZE_MIN, wanted || SIZE_MIN)) return undefined;
  const left = x + (alignment * (width - own * size)) / 2;
  return { size, lines: [{ text, x: left, y: middle(size, all) }] };
}

function inCells(text: string, font: FormFont, { size: wanted, alignment, cells }: TextLayout, all: Room) {
  const { frame, room } = all;
  const letters = graphemesOf(text);
  const cell = frame.width / cells;
  const widest = Math.max(...letters.map((letter) => font.width(letter)), ROUNDING);
  const most = Math.min(wanted || SIZE_MAX, room.height / (wanted ? CAPITALS + DEPTH : LINE_HEIGHT));
  const size = Math.min(most, cell / widest);
  if (letters.length > cells || size < Math.min(SIZE_MIN, wanted || SIZE_MIN)) return undefined;
  const first = Math.floor(((cells - letters.length) * alignment) / 2);
  const lines = letters.flatMap((letter, at) =>
    letter === ' '
      ? []
      : [
          {
            text: letter,
            x: (first + at + 0.5) * cell - (font.width(letter) * size) / 2,
            y: middle(size, all),
          },
        ],
  );
  return { size, lines };
}

function inLines(text: string, font: FormFont, { size: wanted, alignment }: TextLayout, { room }: Room) {
  for (
    let size = Math.min(wanted || LINES_SIZE, Math.max(SIZE_MIN, room.height / CAPITALS));
    size >= Math.min(SIZE_MIN, wanted || SIZE_MIN);
    size -= size > 8 ? Math.max(1, size / STEPS) : 0.5
  ) {
    const measure = (part: string): number => font.width(part) * size;
    const linesMax = Math.min(LINES_MAX, Math.floor((room.height + ROUNDING) / (size * LINE_HEIGHT)) || 1);
    const lines: string[] = [];
    for (const paragraph of text.split('\n')) {
      if (lines.length > linesMax) break;
      const wrapped = wrapText(paragraph, room.width, measure, linesMax + 1);
      lines.push(...(wrapped.length === 0 ? [''] : wrapped));
    }
    if (lines.length > linesMax || size * CAPITALS > room.height) continue;
    const top = room.y + room.height - ASCENT * size;
    return {
      size,
      lines: lines.flatMap((line, at) =>
        line === ''
          ? []
          : [
              {
                text: line,
                x: room.x + (alignment * (room.width - measure(line))) / 2,
                y: top - at * size * LINE_HEIGHT,
              },
            ],
      ),
    };
  }
  return undefined;
}
