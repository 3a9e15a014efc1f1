import { displayOf, fieldName } from '@scriptorium/docx-normalize/instruction';
import type { DropKind } from '@scriptorium/ooxml/package';
import { activeFields, unsafeLinks } from '../../docx/active-fields.ts';
import type { FieldRule } from '../../docx/fields.ts';

const CHARS_MAX = 10_000;
/** Field names that no other word contains, for instructions that are composed of other fields. */
const ACTIVE_ANYWHERE = /INCLUDEPICTURE|INCLUDETEXT|DDEAUTO|DATABASE|MACROBUTTON|VND\.SUN|SCRIPT:/i;

/** The first word of an instruction, and the character that ends it. */
const FIRST_WORD = /^\s*(?:[A-Za-z]+|=)[\s"\\]/;

/** The text of a field's instruction, as read and as RTF to write. */
export class Instruction {
  #text = '';
  #rtf = '';
  /** Number of fallback characters still to skip. */
  #toSkip = 0;
  /** Number of fallback characters per Unicode character: `\uc`. */
  fallbackChars = 1;
  #hasEscapes = false;
  #hidesName = false;
  /** True if it contains more than text: other fields, or form data. */
  hasParts = false;

  add(char: string): void {
    if (this.#toSkip > 0) {
      this.#toSkip--;
      return;
    }
    if (this.#text.length >= CHARS_MAX) return;
    this.#text += char;
    const code = char.charCodeAt(0);
    if ('\\{}'.includes(char)) this.#rtf += `\\${char}`;
    else if (code < 0x80) this.#rtf += code < 0x20 ? ' ' : char;
    else this.#rtf += `\\'${code.toString(16)}`;
  }

  /** A character written as a number, which readers may interpret differently. */
  addEscaped(char: string): void {
    this.#noteEscape();
    this.add(char);
  }

  #noteEscape(): void {
    this.#hasEscapes = true;
    if (!FIRST_WORD.test(this.#text)) this.#hidesName = true;
  }

  addText(text: string): void {
    for (const char of text) this.add(char);
  }

  addUnicode(value: number): void {
    this.#noteEscape();
    const code = value < 0 ? value + 0x10000 : value;
    if (code < 0x80) this.add(String.fromCharCode(code));
    else if (this.#text.length < CHARS_MAX) {
      this.#text += String.fromCharCode(code);
      this.#rtf += `\\uc1\\u${value > 0x7fff ? value - 0x10000 : value} ?`;
    }
    this.#toSkip = this.fallbackChars;
  }

  get text(): string {
    return this.#text.trim();
  }

  get rtf(): string {
    return this.#rtf;
  }

  /** Whether the judged text must replace the source, so that the engine cannot read it differently. */
  get isToBeRewritten(): boolean {
    if (this.hasParts) return false;
    return this.#hidesName || (this.#hasEscapes && fieldName(this.#text) === 'HYPERLINK');
  }

  /** What a button shows, as RTF; empty for all other fields. */
  get displayRtf(): string {
    return this.hasParts ? '' : rtfOf(displayOf(this.#text)?.text ?? '');
  }

  /** The reason why the field must be removed, or `unreported` if `freeze` selects it. Undefined if it may stay. */
  judge(freeze: FieldRule): DropKind | 'unreported' | undefined {
    const field = { name: fieldName(this.#text), instruction: this.#text, inside: [] };
    const what = activeFields(field) ?? unsafeLinks(field) ?? freeze(field);
    if (what !== undefined) return what;
    if (this.hasParts && this.#hidesName) return 'field';
    return this.hasParts && ACTIVE_ANYWHERE.test(this.#text.replace(/[^\w.:]/g, '')) ? 'field' : undefined;
  }
}

/** A code of up to two digits is a byte in the encoding of the document. */
function rtfOf(text: string): string {
  let rtf = '';
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if ('\\{}'.includes(text.charAt(at))) rtf += `\\${text.charAt(at)}`;
    else if (code < 0x80) rtf += text.charAt(at);
    else if (code <= 0xff) rtf += `\\'${code.toString(16)}`;
    else rtf += `\\uc1\\u${code > 0x7fff ? code - 0x10000 : code} ?`;
  }
  return rtf;
}
