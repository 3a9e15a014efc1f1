import { randomNumbers } from '@scriptorium/testing/random';

/** A page with text, a table and a bar code; `size` of its letters in points. */
export interface Paper {
  content: string;
  /** Color of the paper: red, green and blue. */
  color: Color;
  lines: { x: number; y: number; size: number; width: number }[];
}

type Color = readonly [number, number, number];

const WIDTH = 595;
const HEIGHT = 842;
const CODE = { x: 430, y: 150, modules: 25, side: 3 };
/** Helvetica is wider on average. */
const LETTER_WIDTH = 0.45;

export class Dice {
  readonly #below: (below: number) => number;
  constructor(seed: number) {
    this.#below = randomNumbers(seed);
  }
  between(from: number, to: number): number {
    return from + (this.#below(10_000) / 10_000) * (to - from);
  }
  of<T>(items: readonly T[]): T {
    return items[this.#below(items.length)] as T;
  }
  color(from: number, to: number): Color {
    return [this.between(from, to), this.between(from, to), this.between(from, to)];
  }
}

const fill = (color: Color): string => `${color.map((part) => part.toFixed(3)).join(' ')} rg`;
const stroke = (color: Color): string => `${color.map((part) => part.toFixed(3)).join(' ')} RG`;

export function paper(dice: Dice): Paper {
  const color = dice.of<Color>([[1, 1, 1], [1, 1, 1], dice.color(0.85, 1)]);
  const parts = [`${fill(color)} 0 0 ${WIDTH} ${HEIGHT} re f`];
  const lines: Paper['lines'] = [];
  for (let y = 780; y > 260; ) {
    const size = dice.between(7, 14);
    const letters = Array.from({ length: 50 }, () =>
      dice.of([...'abcdefghiklmnoprstuvwxyzABEGKMRSTW0123456789    ']),
    );
    parts.push(
      `BT ${fill(dice.color(0, 0.3))} /F ${size.toFixed(2)} Tf 60 ${y.toFixed(2)} Td (${letters.join('')}) Tj ET`,
    );
    lines.push({ x: 60, y, size, width: 50 * LETTER_WIDTH * size });
    y -= size * dice.between(1.2, 2);
  }
  parts.push('0 g');
  for (let row = 0; row < CODE.modules; row++) {
    for (let column = 0; column < CODE.modules; column++)
      if (dice.between(0, 1) < 0.5)
        parts.push(
          `${CODE.x + column * CODE.side} ${CODE.y + row * CODE.side} ${CODE.side} ${CODE.side} re f`,
        );
  }
  parts.push('0 G 0.7 w 60 200 m 300 200 l S 60 160 240 20 re S');
  return { content: parts.join('\n'), color, lines };
}

/** An annotation. `look` is what its appearance draws on the whole page; without it, PDFium draws `keys`. */
export interface Mark {
  kind: string;
  keys: string;
  look?: string;
}

const box = (x: number, y: number, width: number, height: number): string =>
  [x, y, width, height].map((value) => value.toFixed(2)).join(' ');

function quad(x: number, y: number, width: number, height: number): string {
  const [left, right, bottom, top] = [x, x + width, y, y + height].map((value) => value.toFixed(2));
  return `${left} ${top} ${right} ${top} ${left} ${bottom} ${right} ${bottom}`;
}

/** A place over some letters of a line, high enough to hide them. */
function overLetters(dice: Dice, { lines }: Paper) {
  const line = dice.of(lines);
  const width = dice.between(3, 20) * line.size;
  const x = line.x + dice.between(0, Math.max(1, line.width - width));
  return { x, y: line.y - 0.25 * line.size, width, height: 1.1 * line.size, size: line.size };
}

/** What hides ink, whatever it is drawn by. */
export const HIDING: Record<string, (dice: Dice, paper: Paper) => Mark> = {
  'an opaque box of any color': (dice, on) => {
    const { x, y, width, height } = overLetters(dice, on);
    return { kind: 'Stamp', keys: '', look: `${fill(dice.color(0, 1))} ${box(x, y, width, height)} re f` };
  },
  'a nearly opaque box in the color of the paper': (dice, on) => {
    const { x, y, width, height } = overLetters(dice, on);
    return { kind: 'Stamp', keys: '', look: `/Faint gs ${fill(on.color)} ${box(x, y, width, height)} re f` };
  },
  'a line in the color of the paper': (dice, on) => {
    const { x, y, width, size } = overLetters(dice, on);
    const middle = y + 0.5 * size;
    const line = `${x.toFixed(2)} ${middle.toFixed(2)} m ${(x + width).toFixed(2)} ${middle.toFixed(2)} l S`;
    return { kind: 'Line', keys: '', look: `${stroke(on.color)} ${dice.between(0.3, 1) * size} w ${line}` };
  },
  'a black highlight without an appearance, beside its rectangle': (dice, on) => {
    const { x, y, width, height } = overLetters(dice, on);
    return { kind: 'Highlight', keys: `/QuadPoints[${quad(x, y, width, height)}]/C[0 0 0]` };
  },
  'a polygon of any color': (dice, on) => {
    const { x, y, width, height } = overLetters(dice, on);
    const corners = [
      [x - 5, y],
      [x + width / 2, y - 2],
      [x + width + 5, y],
      [x + width, y + height],
      [x, y + height],
    ];
    const path = corners.map(
      ([a = 0, b = 0], index) => `${a.toFixed(2)} ${b.toFixed(2)} ${index === 0 ? 'm' : 'l'}`,
    );
    return { kind: 'Polygon', keys: '', look: `${fill(dice.color(0, 1))} ${path.join(' ')} f` };
  },
  'another text on a patch of paper': (dice, on) => {
    const { x, y, width, height, size } = overLetters(dice, on);
    const patch = `${fill(on.color)} ${box(x, y, width, height)} re f 0 g`;
    const text = `BT /F ${size.toFixed(2)} Tf ${x.toFixed(2)} ${(y + 0.25 * size).toFixed(2)} Td (Xyz 98 7) Tj ET`;
    return { kind: 'FreeText', keys: '', look: `${patch} ${text}` };
  },
  'an opaque stamp on a bar code': (dice) => {
    const side = CODE.modules * CODE.side;
    const [width, height] = [dice.between(20, side), dice.between(20, side)];
    const [x, y] = [CODE.x + dice.between(0, side - width), CODE.y + dice.between(0, side - height)];
    return { kind: 'Stamp', keys: '', look: `${fill(dice.color(0, 1))} ${box(x, y, width, height)} re f` };
  },
};

/** A hand goes from left to right, up and down. */
function scribble(
  dice: Dice,
  { x, y, width, height }: { x: number; y: number; width: number; height: number },
): string {
  const waves = 8;
  const point = (wave: number) =>
    `${(x + (width * (wave + dice.between(-0.4, 0.4))) / waves).toFixed(2)} ${(y + dice.between(0, height)).toFixed(2)}`;
  const curves = Array.from(
    { length: waves },
    (_, wave) => `${point(wave + 0.3)} ${point(wave + 0.7)} ${point(wave + 1)} c`,
  );
  return `${stroke(dice.color(0, 0.4))} ${dice.between(0.4, 1.6).toFixed(2)} w ${point(0)} m ${curves.join(' ')} S`;
}

/** What people draw upon a signed page, and leaves it legible. */
export const HONEST: Record<string, (dice: Dice, paper: Paper) => Mark> = {
  'a signature upon text and its line': (dice) => ({
    kind: 'Ink',
    keys: '',
    look: scribble(dice, { x: 80, y: dice.of([180, 300, 500]), width: 170, height: 50 }),
  }),
  'a highlight': (dice, on) => {
    const { x, y, width, height } = overLetters(dice, on);
    const color = dice.of<Color>([
      [1, 1, 0],
      [0.5, 1, 0.5],
      [1, 0.6, 0.8],
      [0.6, 0.9, 1],
      [1, 0.8, 0.3],
    ]);
    return {
      kind: 'Highlight',
      keys: '',
      look: `/Multiply gs ${fill(color)} ${box(x, y, width, height)} re f`,
    };
  },
  'a highlight without an appearance': (dice, on) => {
    const { x, y, width, height } = overLetters(dice, on);
    return { kind: 'Highlight', keys: `/QuadPoints[${quad(x, y, width, height)}]/C[1 1 0]` };
  },
  'an underline, or a line through text': (dice, on) => {
    const { x, y, width, size } = overLetters(dice, on);
    const level = (y + dice.of([0.2, 0.55]) * size).toFixed(2);
    const line = `${x.toFixed(2)} ${level} m ${(x + width).toFixed(2)} ${level} l S`;
    const color = dice.of<Color>([
      [1, 0, 0],
      [0, 0, 0],
      [0, 0, 0.8],
    ]);
    return { kind: 'StrikeOut', keys: '', look: `${stroke(color)} ${dice.between(0.3, 0.9)} w ${line}` };
  },
  'anything where the page is empty': (dice, on) => {
    const [width, height] = [dice.between(10, 400), dice.between(10, 100)];
    const area = box(dice.between(0, WIDTH - width), dice.between(0, 140 - height), width, height);
    const text = `${fill(dice.color(0, 1))} BT /F 12 Tf 60 30 Td (Approved) Tj ET`;
    return {
      kind: 'Stamp',
      keys: '',
      look: `${fill(dice.of([on.color, dice.color(0, 1)]))} ${area} re f ${text}`,
    };
  },
};

const FONT = '/Font<</F<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>>>';
const STATES = '/ExtGState<</Multiply<</BM/Multiply>>/Faint<</ca 0.8>>>>';

const streamOf = (keys: string, data: string): string =>
  `<<${keys}/Length ${data.length}>>\nstream\n${data}\nendstream`;

/** The file of a page, which ends at `before`, and an update with this mark. PDFium finds the objects by itself. */
export function markedPdf(
  { content }: Pick<Paper, 'content'>,
  mark: Mark | undefined,
  rect = '[500 20 520 40]',
) {
  const page = (annots: string) =>
    `<</Type/Page/Parent 2 0 R/Contents 4 0 R/Resources<<${FONT}>>/Annots[${annots}]>>`;
  const write = (objects: Record<number, string>) =>
    Object.entries(objects)
      .map(([num, body]) => `${num} 0 obj\n${body}\nendobj\n`)
      .join('');
  const trailer = 'trailer<</Root 1 0 R>>\n';
  const signed = `%PDF-1.7\n${write({
    1: '<</Type/Catalog/Pages 2 0 R>>',
    2: `<</Type/Pages/Kids[3 0 R]/Count 1/MediaBox[0 0 ${WIDTH} ${HEIGHT}]>>`,
    3: page(''),
    4: streamOf('', content),
  })}${trailer}`;
  const where = `[0 0 ${WIDTH} ${HEIGHT}]`;
  const look = mark?.look === undefined ? '' : '/AP<</N 6 0 R>>';
  const update = mark
    ? write({
        3: page('5 0 R'),
        5: `<</Type/Annot/Subtype/${mark.kind}/F 4/Rect${look ? where : rect}${mark.keys}${look}>>`,
        6: streamOf(`/Type/XObject/Subtype/Form/BBox${where}/Resources<<${FONT}${STATES}>>`, mark.look ?? ''),
      })
    : '';
  return { bytes: Buffer.from(signed + update + trailer, 'latin1'), before: signed.length };
}
