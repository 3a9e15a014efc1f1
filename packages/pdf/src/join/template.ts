import { tooComplex } from '../pdf-error.ts';
import type { PdfDocument } from '../read/document.ts';
import { Dict, Name, PdfString, type PdfValue, Ref, Stream } from '../read/values.ts';
import { literal } from '../write/literal.ts';

/** A value to be written: text in latin1, and between texts the numbers of the source's objects that it refers to. */
export type Template = readonly (string | number)[];

/** What becomes of a key: null drops it, a string is written as it is, another value is copied. */
type Edit = null | string | { value: PdfValue };
export type Edits = Readonly<Record<string, Edit>>;

const HOPS_MAX = 8;
/** Above what the reader unpacks of a document. A value that many objects refer to may be written into each of them. */
const CHARS_MAX = 128 * 1024 * 1024;

/** Limits the text that is written for one document. */
export class TextBudget {
  #left = CHARS_MAX;

  /** Throws DOCUMENT_TOO_COMPLEX. */
  spend(chars: number): void {
    this.#left -= chars;
    if (this.#left < 0) throw tooComplex('too many references to the same values');
  }
}

/** About the length of a reference. */
const REFERENCE_CHARS = 8;
const DELIMITERS = new Set('()<>[]{}/% \n');
const isRegular = (character: string | undefined): boolean =>
  character !== undefined && !DELIMITERS.has(character);

/** Joins tokens with a space only between two that would otherwise become one. */
class Tokens {
  readonly #done: (string | number)[] = [];
  readonly #budget: TextBudget;
  #text = '';
  #isOpen = false;

  constructor(budget: TextBudget) {
    this.#budget = budget;
  }

  add(token: string): void {
    this.#budget.spend(token.length);
    if (this.#isOpen && isRegular(token[0])) this.#text += ' ';
    this.#text += token;
    this.#isOpen = isRegular(token.at(-1));
  }

  refer(num: number): void {
    this.#budget.spend(REFERENCE_CHARS);
    this.#done.push(this.#isOpen ? `${this.#text} ` : this.#text, num);
    this.#text = '';
    this.#isOpen = true;
  }

  end(): Template {
    this.#done.push(this.#text);
    return this.#done;
  }
}

/** Writes a number in full, because PDF has no exponents (ISO 32000-2, 7.3.3). */
function numberToken(value: number): string {
  const text = String(value);
  if (!text.includes('e')) return text;
  return Number.isInteger(value) ? BigInt(value).toString() : value.toFixed(20).replace(/\.?0+$/, '');
}

/** Writes a string of bytes, latin1 (ISO 32000-2, 7.3.4.2). */
export const stringToken = (latin1: string): string =>
  `(${latin1.replace(/[\r\\()]/g, (character) => (character === '\r' ? '\\r' : `\\${character}`))})`;

/** Returns the number of the object that holds the value; undefined if there is none, or only null. */
export function targetOf(document: PdfDocument, ref: Ref): number | undefined {
  let object = document.object(ref);
  for (let hops = 0; object?.value instanceof Ref; hops++) {
    if (hops === HOPS_MAX) return undefined;
    object = document.object(object.value);
  }
  return object === undefined || object.value === null ? undefined : object.num;
}

/**
 * Writes values of a document in one canonical form, with their references open: sorted keys, no superfluous space, nothing
 * that is null. `editsOf` returns what changes in any dictionary.
 */
export class Templates {
  readonly #document: PdfDocument;
  readonly #editsOf: (dict: Dict) => Edits | undefined;
  readonly #budget: TextBudget;

  constructor(document: PdfDocument, editsOf: (dict: Dict) => Edits | undefined, budget: TextBudget) {
    this.#document = document;
    this.#budget = budget;
    this.#editsOf = editsOf;
  }

  /** `edits` are those of the outermost dictionary, and go before those of `editsOf`. */
  of(value: PdfValue, edits: Edits = {}): Template {
    const tokens = new Tokens(this.#budget);
    if (value instanceof Dict) this.#dict(value, tokens, edits);
    else this.#value(value, tokens);
    return tokens.end();
  }

  /** The dictionary of a stream without its brackets and length. */
  ofStream({ dict }: Stream): Template {
    const tokens = new Tokens(this.#budget);
    this.#entries(dict, tokens, { Length: null });
    return tokens.end();
  }

  #value(value: PdfValue, tokens: Tokens): void {
    if (value instanceof Ref) {
      const target = targetOf(this.#document, value);
      if (target === undefined) tokens.add('null');
      else tokens.refer(target);
    } else if (value instanceof Name) tokens.add(literal.name(value.text));
    else if (value instanceof PdfString) tokens.add(stringToken(value.bytes.toString('latin1')));
    else if (typeof value === 'number') tokens.add(numberToken(value));
    else if (Array.isArray(value)) {
      tokens.add('[');
      for (const item of value) this.#value(item, tokens);
      tokens.add(']');
    } else if (value instanceof Dict) this.#dict(value, tokens, {});
    // A stream is always an object of its own; another place for it is malformed.
    else tokens.add(value instanceof Stream ? 'null' : String(value));
  }

  #dict(dict: Dict, tokens: Tokens, edits: Edits): void {
    tokens.add('<<');
    this.#entries(dict, tokens, edits);
    tokens.add('>>');
  }

  #entries(dict: Dict, tokens: Tokens, own: Edits): void {
    const edits = { ...this.#editsOf(dict), ...own };
    const keys = new Set([...dict.entries.keys(), ...Object.keys(edits)]);
    for (const key of [...keys].sort()) {
      const edit = Object.hasOwn(edits, key) ? edits[key] : undefined;
      const value = typeof edit === 'object' && edit !== null ? edit.value : dict.get(key);
      if (edit === null || (typeof edit !== 'string' && this.#isNull(value))) continue;
      tokens.add(literal.name(key));
      if (typeof edit === 'string') tokens.add(edit);
      else this.#value(value, tokens);
    }
  }

  #isNull(value: PdfValue): boolean {
    return value === null || (value instanceof Ref && targetOf(this.#document, value) === undefined);
  }
}
