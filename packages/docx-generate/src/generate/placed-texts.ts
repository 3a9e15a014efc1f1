import { isRunning } from '../rows/form-places.ts';
import { isSimple } from '../rows/simple-text.ts';
import type { ValueOp } from './program.ts';

const TEXTS_MAX = 2_000;

/** Stories that an engine shows on the page. */
const PLACES: ReadonlySet<string> = new Set(['body', 'header', 'footer']);

/** Takes the texts of one document out of it and leaves marks in their places. */
export class PlacedTexts {
  /** In the order in which they stand in the parts that were written. */
  readonly texts: string[] = [];
  readonly #nameOf: (place: number) => string;
  #hasOther = false;

  /** `nameOf` returns the mark of a place. */
  constructor(nameOf: (place: number) => string) {
    this.#nameOf = nameOf;
  }

  /** Whether the document has content that is neither its template nor a text, such as a picture of the data. */
  get hasOther(): boolean {
    return this.#hasOther;
  }

  /** Takes a text, and returns the mark that stands for it. Undefined if it must stand in the document. */
  take(text: string, op: ValueOp): string | undefined {
    const isPlaced = text !== '' && isSimple(text) && isInRunningText(op) && this.texts.length < TEXTS_MAX;
    return isPlaced ? this.#nameOf(this.texts.push(text) - 1) : undefined;
  }

  addOther(): void {
    this.#hasOther = true;
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
