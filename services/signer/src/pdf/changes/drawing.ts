import { createHash, type Hash } from 'node:crypto';
import type { PdfDocument } from '../read/document.ts';
import type { Box } from '../read/pages.ts';
import { Dict, isName, type PdfValue, Stream } from '../read/values.ts';
import { tooComplex } from '../refusals.ts';
import type { Budget } from './budget.ts';
import { contentOf } from './content.ts';
import { heightOf, IDENTITY, type Matrix, times, transformed } from './matrix.ts';
import { codesOf, type FontWidths, isRule, widthsOf } from './text-width.ts';
import { ContentReader, type Operand, type Operation } from './tokens.ts';

/** Where something is seen; `em` is how high its letters are, 0 for an image. */
export interface Mark {
  kind: 'text' | 'image';
  box: Box;
  em: number;
}

/** What a content stream draws, roughly. */
export interface Drawing {
  marks: Mark[];
  /** Areas or images are painted: what lies below may be hidden. */
  paints: boolean;
  /** Hash of all strings that are shown. */
  text: string;
}

interface State {
  ctm: Matrix;
  /** Where the line of text began, and where the next glyph goes. */
  line: Matrix;
  text: Matrix;
  font: FontWidths;
  size: number;
  characterSpace: number;
  wordSpace: number;
  scale: number;
  leading: number;
  rise: number;
}

const FORM_DEPTH_MAX = 8;
const STATES_MAX = 512;
const MARKS_MAX = 50_000;
/** In operators. */
const MARK_COST = 10;
const PAINTING: ReadonlySet<string> = new Set(['f', 'F', 'f*', 'B', 'B*', 'b', 'b*', 'sh', 'ID']);
/** Above and below the base line, in em. */
const ASCENT = 0.75;
const DESCENT = 0.2;

const start = (ctm: Matrix): State => ({
  ctm,
  line: IDENTITY,
  text: IDENTITY,
  font: { bytesPerGlyph: 1, widthOf: () => 0.5 },
  size: 0,
  characterSpace: 0,
  wordSpace: 0,
  scale: 1,
  leading: 0,
  rise: 0,
});

const numberAt = (operands: readonly Operand[], index: number): number => {
  const operand = operands[index];
  return typeof operand === 'number' ? operand : 0;
};

const matrixAt = (operands: readonly Operand[]): Matrix => [
  numberAt(operands, 0),
  numberAt(operands, 1),
  numberAt(operands, 2),
  numberAt(operands, 3),
  numberAt(operands, 4),
  numberAt(operands, 5),
];

/** Draws content without drawing: keeps where text and images are. */
class Painter {
  readonly marks: Mark[] = [];
  readonly text: Hash = createHash('sha256');
  paints = false;
  readonly #document: PdfDocument;
  readonly #budget: Budget;
  readonly #fonts = new Map<Dict, FontWidths>();

  constructor(document: PdfDocument, budget: Budget) {
    this.#document = document;
    this.#budget = budget;
  }

  draw(content: Buffer, resources: Dict | undefined, ctm: Matrix, depth: number): void {
    const reader = new ContentReader(content);
    const states: State[] = [];
    let state = start(ctm);
    for (let next = reader.next(); next; next = reader.next()) {
      this.#budget.spend('operators', 1 + next.operands.length);
      if (PAINTING.has(next.operator)) this.paints = true;
      if (next.operator === 'q') {
        if (states.length >= STATES_MAX) throw tooComplex('content that is nested too deep');
        states.push({ ...state });
      } else if (next.operator === 'Q') state = states.pop() ?? state;
      else this.#apply(next, state, resources, depth);
    }
  }

  #apply({ operator, operands }: Operation, state: State, resources: Dict | undefined, depth: number): void {
    setText(state, operator, operands);
    switch (operator) {
      case 'cm':
        state.ctm = times(matrixAt(operands), state.ctm);
        break;
      case 'Tj':
      case "'":
        this.#show(operands, state);
        break;
      case '"':
        this.#show(operands.slice(2), state);
        break;
      case 'TJ':
        this.#show(Array.isArray(operands[0]) ? operands[0] : [], state);
        break;
      case 'Tf':
        state.font = this.#font(resources, operands[0]);
        state.size = numberAt(operands, 1);
        break;
      case 'Do':
        this.#external(resources, operands[0], state.ctm, depth);
        break;
      case 'ID':
        this.#mark('image', [0, 0, 1, 1], state.ctm, 0);
        break;
    }
  }

  #resource(resources: Dict | undefined, kind: string, name: Operand | undefined): PdfValue {
    const dict = resources && this.#document.dict(resources, kind);
    return dict && typeof name === 'string' ? this.#document.get(dict, name) : null;
  }

  #font(resources: Dict | undefined, name: Operand | undefined): FontWidths {
    const dict = this.#resource(resources, 'Font', name);
    const known = dict instanceof Dict ? this.#fonts.get(dict) : undefined;
    const font = known ?? widthsOf(this.#document, dict);
    if (dict instanceof Dict) this.#fonts.set(dict, font);
    return font;
  }

  #show(items: readonly Operand[], state: State): void {
    const { font, size } = state;
    let width = 0;
    const codes: number[] = [];
    for (const item of items) {
      if (typeof item === 'number') width -= (item / 1_000) * size * state.scale;
      if (!Buffer.isBuffer(item)) continue;
      this.text.update(item);
      for (const code of codesOf(item, font)) {
        codes.push(code);
        const space = state.characterSpace + (code === 32 ? state.wordSpace : 0);
        width += (font.widthOf(code) * size + space) * state.scale;
      }
    }
    this.#budget.spend('operators', items.length + codes.length / 8);
    if (codes.length > 0 && !isRule(codes, font)) {
      const box: Box = [0, state.rise - DESCENT * size, width, state.rise + ASCENT * size];
      const full = times(state.text, state.ctm);
      this.#mark('text', box, full, Math.abs(size) * heightOf(full));
    }
    state.text = times([1, 0, 0, 1, width, 0], state.text);
  }

  #mark(kind: Mark['kind'], box: Box, matrix: Matrix, em: number): void {
    this.#budget.spend('operators', MARK_COST);
    if (this.marks.length >= MARKS_MAX) throw tooComplex('too much on one page');
    const placed = transformed(box, matrix);
    if (placed.every(Number.isFinite)) this.marks.push({ kind, box: placed, em });
  }

  #external(resources: Dict | undefined, name: Operand | undefined, ctm: Matrix, depth: number): void {
    const object = this.#resource(resources, 'XObject', name);
    if (!(object instanceof Stream)) return;
    if (!isName(this.#document.get(object.dict, 'Subtype'), 'Form')) {
      this.paints = true;
      this.#mark('image', [0, 0, 1, 1], ctm, 0);
      return;
    }
    if (depth >= FORM_DEPTH_MAX) throw tooComplex('content that is nested too deep');
    this.drawForm(object, ctm, resources, depth + 1);
  }

  drawForm(form: Stream, ctm: Matrix, resources: Dict | undefined, depth: number): void {
    const own = this.#document.dict(form.dict, 'Resources') ?? resources;
    const content = contentOf(this.#document, form, this.#budget);
    this.draw(content, own, times(this.#formMatrix(form), ctm), depth);
  }

  #formMatrix(form: Stream): Matrix {
    const value = this.#document.get(form.dict, 'Matrix');
    if (!Array.isArray(value) || value.length !== 6) return IDENTITY;
    const numbers = value.map((item) => this.#document.resolve(item));
    return matrixAt(numbers.map((number) => (typeof number === 'number' ? number : 0)));
  }
}

function moveLine(state: State, x: number, y: number): void {
  state.line = times([1, 0, 0, 1, x, y], state.line);
  state.text = state.line;
}

/** What an operator does to where and how text is shown (ISO 32000-2, 9.3 and 9.4.2). */
function setText(state: State, operator: string, operands: readonly Operand[]): void {
  const [first, second] = [numberAt(operands, 0), numberAt(operands, 1)];
  switch (operator) {
    case 'Tc':
      state.characterSpace = first;
      break;
    case 'Tw':
      state.wordSpace = first;
      break;
    case 'Tz':
      state.scale = first / 100;
      break;
    case 'TL':
      state.leading = first;
      break;
    case 'Ts':
      state.rise = first;
      break;
    case 'BT':
      state.line = IDENTITY;
      state.text = IDENTITY;
      break;
    case 'Tm':
      state.line = matrixAt(operands);
      state.text = state.line;
      break;
    case 'TD':
      state.leading = -second;
      moveLine(state, first, second);
      break;
    case 'Td':
      moveLine(state, first, second);
      break;
    case '"':
      state.wordSpace = first;
      state.characterSpace = second;
      moveLine(state, 0, -state.leading);
      break;
    case "'":
    case 'T*':
      moveLine(state, 0, -state.leading);
      break;
  }
}

const drawingOf = ({ marks, paints, text }: Painter): Drawing => ({
  marks,
  paints,
  text: text.digest('hex'),
});

/** What a page's own content draws. Throws INVALID_FILE_FORMAT or DOCUMENT_TOO_COMPLEX where that cannot be told. */
export function drawingOfPage(
  document: PdfDocument,
  contents: PdfValue,
  resources: PdfValue,
  budget: Budget,
): Drawing {
  const resolved = document.resolve(contents);
  const streams = (Array.isArray(resolved) ? resolved : [resolved]).map((item) => document.resolve(item));
  const parts = streams
    .filter((item) => item instanceof Stream)
    .flatMap((stream) => [contentOf(document, stream, budget), Buffer.from('\n')]);
  const painter = new Painter(document, budget);
  painter.draw(Buffer.concat(parts), resources instanceof Dict ? resources : undefined, IDENTITY, 0);
  return drawingOf(painter);
}

/** What a form XObject draws, in its own space; as `drawingOfPage`. */
export function drawingOfForm(document: PdfDocument, form: Stream, budget: Budget): Drawing {
  const painter = new Painter(document, budget);
  painter.drawForm(form, IDENTITY, undefined, 0);
  return drawingOf(painter);
}
