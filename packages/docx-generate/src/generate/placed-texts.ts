import type { Control } from '@scriptorium/docx-template/template';
import { isRunning, isSimpleControl } from '../rows/form-places.ts';
import { isSimple } from '../rows/simple-text.ts';
import { MARKS } from './piece-marks.ts';
import type { ValueOp } from './program.ts';

const TEXTS_MAX = 2_000;
const LINE_END = /\r\n|[\r\v]/g;

/** Stories that an engine shows on the page. */
const PLACES: ReadonlySet<string> = new Set(['body', 'header', 'footer']);

/** Takes the texts of one document out of it and leaves marks in their places. Also marks its pieces. */
export class PlacedTexts {
  /** In the order in which they were taken. Lines end with `\n`. */
  readonly texts: string[] = [];
  readonly #nameOf: (place: number) => string;
  #hasOther = false;
  #marks = 0;

  /** `nameOf` returns the mark of a place. */
  constructor(nameOf: (place: number) => string) {
    this.#nameOf = nameOf;
  }

  /** Whether the document has content that is neither its template nor a text, such as a picture of the data. */
  get hasOther(): boolean {
    return this.#hasOther;
  }

  /** Characters of marks that were written. */
  get marks(): number {
    return this.#marks;
  }

  /** Takes a text, and returns the mark that stands for it. Undefined if it must stand in the document. */
  take(text: string, op: ValueOp): string | undefined {
    return isInRunningText(op) ? this.#take(text) : undefined;
  }

  /** The same for the text of a content control. An empty one shows its prompt. */
  takeControl(value: unknown, control: Control): string | undefined {
    const isScalar = typeof value === 'string' || typeof value === 'number';
    const isPlaced =
      isScalar &&
      isSimple(String(value)) &&
      String(value).trim() !== '' &&
      PLACES.has(control.story.place) &&
      isSimpleControl(control) &&
      isRunning(control.node, new Map());
    return isPlaced ? this.#take(String(value)) : undefined;
  }

  addOther(): void {
    this.#hasOther = true;
  }

  block(): string {
    return this.#mark(1, MARKS.block);
  }

  blockEnd(): string {
    return this.#mark(1, MARKS.blockEnd);
  }

  /** `copy` is the index of a copy of a loop. */
  piece(branch: number, copy: number | undefined): string {
    return this.#mark(2, `${MARKS.piece}${branch}[${copy ?? ''}]${MARKS.key}`);
  }

  pieceEnd(): string {
    return this.#mark(1, MARKS.pieceEnd);
  }

  /** Stands for an identifier, whose value depends on the copies before it. */
  id(what: string, copy: string, value: string): string {
    return this.#mark(2, `${MARKS.id}${what}:${copy}:${value}${MARKS.idEnd}`);
  }

  #take(written: string): string | undefined {
    const text = written.replace(LINE_END, '\n');
    const line = text.replaceAll('\n', '');
    const isText = isSimple(line) && (line !== '' || text === '');
    if (!isText || this.texts.length >= TEXTS_MAX) return undefined;
    return this.#mark(2, this.#nameOf(this.texts.push(text) - 1));
  }

  #mark(count: number, mark: string): string {
    this.#marks += count;
    return mark;
  }
}

const known = new WeakMap<ValueOp, boolean>();

function isInRunningText(op: ValueOp): boolean {
  const before = known.get(op);
  if (before !== undefined) return before;
  const isRunningText = PLACES.has(op.story.place) && isRunning(op.text, new Map());
  known.set(op, isRunningText);
  return isRunningText;
}
