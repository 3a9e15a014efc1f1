import { createHash, type Hash } from 'node:crypto';
import { tooComplex } from '../pdf-error.ts';
import type { PdfDocument } from '../read/document.ts';
import { type Box, readBox } from '../read/pages.ts';
import { Dict, isName, type PdfValue, Stream } from '../read/values.ts';
import type { Budget } from './budget.ts';
import { contentOf } from './content.ts';
import {
  formMatrix,
  matrixAt,
  numberAt,
  type State,
  setParameters,
  setText,
  start,
} from './drawing-state.ts';
import { heightOf, IDENTITY, type Matrix, times, transformed } from './matrix.ts';
import { Nesting } from './nesting.ts';
import { KeptOutlines, Outline } from './outline.ts';
import { ShownWords } from './shown-words.ts';
import { codesOf, type FontWidths, isRule, widthsOf } from './text-width.ts';
import { ContentReader, type Operand, type Operation } from './tokens.ts';
import { shared, WordsInView } from './words-in-view.ts';

/** Visible content and its box; `em` is the letter height, 0 for an image. An outline is a letter drawn as a path. */
export interface Mark {
  kind: 'text' | 'outline' | 'image' | 'piece';
  box: Box;
  em: number;
}

/** A rough summary of what a content stream draws. */
export interface Drawing {
  marks: Mark[];
  /** It paints areas or images, which may hide what lies below. */
  paints: boolean;
  /** It paints areas or images that are opaque and not blended. */
  hides: boolean;
  /** Hash of all shown strings. */
  text: string;
  /** The strings of an appearance as text; undefined if a font does not map its codes to Unicode. */
  words: string | undefined;
  /** The fonts of the words. */
  fonts: readonly Dict[];
  /** Number of areas, lines and images. */
  shapes: number;
  /** The visibility of the words of an appearance. */
  view: WordsInView | undefined;
  /** Readers may draw it, or what follows, otherwise: pdf.js leaves the box after a state that was not saved. */
  escapes: boolean;
}

const FORM_DEPTH_MAX = 8;
const KERNING_MAX = 250;
const STATES_MAX = 512;
const MARKS_MAX = 50_000;
const MARK_COST_OPERATORS = 10;
const PAINTING: ReadonlySet<string> = new Set(['f', 'F', 'f*', 'B', 'B*', 'b', 'b*', 'sh', 'ID']);
const STROKING: ReadonlySet<string> = new Set(['S', 's']);
/** Operators that end a path (ISO 32000-2, table 59). */
const ENDING: ReadonlySet<string> = new Set([...PAINTING, ...STROKING, 'n']);
/** Share of the smaller side of a form's box; a wider line counts as an area. */
const LINE_SHARE_MAX = 0.15;
const OPACITY_MAX = 0.8;
/** Interprets content without rendering it, and records where text and images are. */
class Painter {
  readonly marks: Mark[] = [];
  readonly text: Hash = createHash('sha256');
  paints = false;
  hides = false;
  escapes = false;
  shapes = 0;
  /** Undefined for pages, where it is not needed. */
  words: ShownWords | undefined;
  view: WordsInView | undefined;
  /** Undefined in an appearance: paths of icons are not letters. */
  #outline: Outline | undefined = new Outline();
  readonly #outlines = new KeptOutlines();
  #lineWidthMax = Number.POSITIVE_INFINITY;
  readonly #document: PdfDocument;
  readonly #budget: Budget;
  readonly #fonts = new Map<Dict, FontWidths>();

  constructor(document: PdfDocument, budget: Budget) {
    this.#document = document;
    this.#budget = budget;
  }

  draw(content: Buffer, resources: Dict | undefined, from: State, depth: number): void {
    const reader = new ContentReader(content);
    const states: State[] = [];
    const nesting = new Nesting();
    let state = from;
    for (let next = reader.next(); next; next = reader.next()) {
      this.#budget.spend('operators', 1 + next.operands.length);
      const [fills, strokes] = [PAINTING.has(next.operator), STROKING.has(next.operator)];
      if (fills || (strokes && this.#isBroad(state))) this.#paint(state);
      if (fills || strokes) this.shapes++;
      nesting.follow(next);
      this.#follow(next, state);
      this.view?.follow(next, state);
      if (states.length > STATES_MAX) throw tooComplex('content that is nested too deep');
      if (next.operator === 'q') states.push({ ...state });
      else if (next.operator === 'Q') state = states.pop() ?? state;
      else this.#apply(next, state, resources, depth);
    }
    this.escapes ||= nesting.isBroken;
  }

  /** Letters may be drawn as paths. Handwriting always is. */
  #follow({ operator, operands }: Operation, { ctm }: State): void {
    if (!this.#outline) return;
    this.#outline.add(operator, operands);
    if (!ENDING.has(operator)) return;
    const outline = this.#outline;
    this.#outline = new Outline();
    if (operator === 'n') return;
    for (const { kind, box } of this.#outlines.kept(outline, ctm))
      this.#mark(kind, box, IDENTITY, box[3] - box[1]);
  }

  #isBroad({ ctm, lineWidth }: State): boolean {
    return lineWidth * Math.max(heightOf(ctm), Math.hypot(ctm[0], ctm[1])) > this.#lineWidthMax;
  }

  #paint({ opacity, darkens }: State): void {
    this.paints = true;
    if (!darkens && opacity > OPACITY_MAX) this.hides = true;
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
        state.font = this.#widths(this.#resource(resources, 'Font', operands[0]));
        state.size = numberAt(operands, 1);
        break;
      case 'w':
        state.lineWidth = numberAt(operands, 0);
        break;
      case 'gs':
        this.#set(state, this.#resource(resources, 'ExtGState', operands[0]), depth);
        break;
      case 'Do':
        this.#external(resources, operands[0], state, depth);
        break;
      case 'ID':
      case 'sh':
        this.view?.picture();
        if (operator === 'ID') this.#mark('image', [0, 0, 1, 1], state.ctm, 0);
        break;
    }
  }

  #resource(resources: Dict | undefined, kind: string, name: Operand | undefined): PdfValue {
    const dict = resources && this.#document.dict(resources, kind);
    return dict && typeof name === 'string' ? this.#document.get(dict, name) : null;
  }

  #set(state: State, parameters: PdfValue, depth: number): void {
    if (!(parameters instanceof Dict)) return;
    setParameters(state, this.#document, parameters);
    const mask = this.words && this.#document.dict(parameters, 'SMask');
    const group = mask && this.#document.get(mask, 'G');
    if (group instanceof Stream) this.#drawForm(group, state, undefined, depth + 1);
    const font = this.#document.get(parameters, 'Font');
    if (!Array.isArray(font)) return;
    const size = this.#document.resolve(font[1] ?? null);
    state.font = this.#widths(this.#document.resolve(font[0] ?? null));
    state.size = typeof size === 'number' ? size : 0;
  }

  #widths(dict: PdfValue): FontWidths {
    const font = (dict instanceof Dict && this.#fonts.get(dict)) || widthsOf(this.#document, dict);
    if (dict instanceof Dict) this.#fonts.set(dict, font);
    return font;
  }

  #show(items: readonly Operand[], state: State): void {
    const { font, size } = state;
    let width = 0;
    const codes: number[] = [];
    this.words?.read(items, font);
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
      const { ascent, descent, isVertical } = font;
      const box: Box = isVertical
        ? [-size / 2, -codes.length * size, size / 2, 0]
        : [0, state.rise - descent * size, width, state.rise + ascent * size];
      const full = times(state.text, state.ctm);
      const em = Math.abs(size) * (ascent + descent) * heightOf(full);
      this.#mark('text', box, full, em);
      if (!codes.every((code) => code === 0x20)) this.view?.words(state, box, full, em);
      // Kerning that moves back by half of a letter overwrites earlier text.
      const isBack = items.some((item) => typeof item === 'number' && item > KERNING_MAX);
      if (isBack || codes.some(font.isStuck)) this.view?.picture();
    }
    const advance: Matrix = font.isVertical ? [1, 0, 0, 1, 0, -codes.length * size] : [1, 0, 0, 1, width, 0];
    state.text = times(advance, state.text);
  }

  #mark(kind: Mark['kind'], box: Box, matrix: Matrix, em: number): void {
    this.#budget.spend('operators', MARK_COST_OPERATORS);
    if (this.marks.length >= MARKS_MAX) throw tooComplex('too much on one page');
    const placed = transformed(box, matrix);
    if (placed.every(Number.isFinite)) this.marks.push({ kind, box: placed, em });
  }

  #external(resources: Dict | undefined, name: Operand | undefined, state: State, depth: number): void {
    const object = this.#resource(resources, 'XObject', name);
    // Poppler takes what a look does not have from the page.
    if (!(object instanceof Stream || this.words)) return;
    if (!(object instanceof Stream) || !isName(this.#document.get(object.dict, 'Subtype'), 'Form')) {
      this.#paint(state);
      this.view?.picture();
      this.shapes++;
      this.#mark('image', [0, 0, 1, 1], state.ctm, 0);
      return;
    }
    this.#drawForm(object, state, resources, depth + 1);
  }

  /** Draws a form alone, as an appearance. */
  drawAlone(form: Stream): void {
    this.#outline = undefined;
    this.words = new ShownWords(this.#document, this.#budget);
    const box = readBox(this.#document.get(form.dict, 'BBox'), this.#document);
    if (box) this.view = new WordsInView(box);
    if (box) this.#lineWidthMax = LINE_SHARE_MAX * Math.min(box[2] - box[0], box[3] - box[1]);
    this.#drawForm(form, start(IDENTITY), undefined, 0);
  }

  #drawForm(form: Stream, state: State, resources: Dict | undefined, depth: number): void {
    if (depth > FORM_DEPTH_MAX) throw tooComplex('content that is nested too deep');
    const content = contentOf(this.#document, form, this.#budget);
    const ctm = depth === 0 ? state.ctm : times(formMatrix(this.#document, form), state.ctm);
    if (this.#document.get(form.dict, 'OC') !== null) this.view?.picture();
    const box = readBox(this.#document.get(form.dict, 'BBox'), this.#document);
    const clip = box && depth > 0 ? shared(state.clip, transformed(box, ctm)) : state.clip;
    const group = this.#document.dict(form.dict, 'Group');
    const isIsolated = state.isIsolated || (group !== undefined && this.#document.get(group, 'I') === true);
    const own = this.#document.dict(form.dict, 'Resources') ?? resources;
    this.draw(content, own, { ...state, ctm, clip, isIsolated }, depth);
  }
}

const drawingOf = ({ text, words, ...drawn }: Painter): Drawing => ({
  ...drawn,
  text: text.digest('hex'),
  words: words?.text,
  fonts: [...(words?.fonts ?? [])],
});

/** Summarizes the content of a page. Throws INVALID_FILE_FORMAT or DOCUMENT_TOO_COMPLEX. */
export function drawingOfPage(
  document: PdfDocument,
  contents: PdfValue,
  resources: PdfValue,
  budget: Budget,
): Drawing {
  const resolved = document.resolve(contents);
  const parts = (Array.isArray(resolved) ? resolved : [resolved])
    .map((item) => document.resolve(item))
    .filter((item) => item instanceof Stream)
    .flatMap((stream) => [contentOf(document, stream, budget), Buffer.from('\n')]);
  const painter = new Painter(document, budget);
  painter.draw(Buffer.concat(parts), resources instanceof Dict ? resources : undefined, start(IDENTITY), 0);
  return drawingOf(painter);
}

/** Summarizes a form XObject in its own space, like `drawingOfPage`. */
export function drawingOfForm(document: PdfDocument, form: Stream, budget: Budget): Drawing {
  const painter = new Painter(document, budget);
  painter.drawAlone(form);
  return drawingOf(painter);
}
