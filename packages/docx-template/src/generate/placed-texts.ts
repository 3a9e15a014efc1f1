import type { XmlNode } from '@scriptorium/ooxml/xml';
import type { ValueOp } from './program.ts';

/**
 * Texts that an engine may show in another way when it gets them as text than when it reads them: control and format
 * characters, private use, line ends.
 */
const NOT_PLAIN = /[\p{C}\p{Zl}\p{Zp}]/u;
const TEXTS_MAX = 2_000;
const CHARS_MAX = 10_000;

/** Stories that an engine shows on the page. */
const PLACES: ReadonlySet<string> = new Set(['body', 'header', 'footer']);
/** Elements whose text an engine may show twice, elsewhere, or not as it stands there. */
const OUTSIDE: ReadonlySet<string> = new Set([
  'w:txbxContent',
  'mc:AlternateContent',
  'w:fldSimple',
  'w:hyperlink',
  'w:sdt',
  'w:ins',
  'w:del',
  'w:moveFrom',
  'w:moveTo',
  'w:ruby',
  'w:customXml',
  'w:smartTag',
]);

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
    if (text === '' || text.length > CHARS_MAX || NOT_PLAIN.test(text) || !isInRunningText(op))
      return undefined;
    if (this.texts.length >= TEXTS_MAX) return undefined;
    return this.#nameOf(this.texts.push(text) - 1);
  }

  addOther(): void {
    this.#hasOther = true;
  }
}

const known = new WeakMap<ValueOp, boolean>();

function isInRunningText(op: ValueOp): boolean {
  const before = known.get(op);
  if (before !== undefined) return before;
  let isRunning = PLACES.has(op.story.place);
  for (let node: XmlNode | undefined = op.text; node !== undefined; node = node.parent)
    if (OUTSIDE.has(node.name)) isRunning = false;
  known.set(op, isRunning);
  return isRunning;
}
