import type { DropKind } from '@scriptorium/shared/ooxml/package';
import { activeFields, scriptLinks } from '@scriptorium/shared/ooxml/sanitise/active-fields';
import { fieldName } from '@scriptorium/shared/ooxml/sanitise/fields';

const CHARS_MAX = 10_000;
/** Where an instruction is put together of other fields: names that no other word contains. */
const ACTIVE_ANYWHERE = /INCLUDEPICTURE|INCLUDETEXT|DDEAUTO|DATABASE|MACROBUTTON|VND\.SUN|SCRIPT:/i;

/** The text of a field's instruction, as it is read and as it is written again: the two are the same. */
export class Instruction {
  #text = '';
  #rtf = '';
  /** Characters to come that only stand in for a Unicode one. */
  #toSkip = 0;
  /** Stand-ins a Unicode character has: `\uc`. */
  fallbackChars = 1;
  /** True where there is more in it than text: other fields, the data of a form. */
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

  addText(text: string): void {
    for (const char of text) this.add(char);
  }

  addUnicode(value: number): void {
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

  /** Why the field may not stay a field. */
  judge(): DropKind | undefined {
    const field = { name: fieldName(this.#text), instruction: this.#text, inside: [] };
    const what = activeFields(field) ?? scriptLinks(field);
    if (what !== undefined && what !== 'unreported') return what;
    return this.hasParts && ACTIVE_ANYWHERE.test(this.#text.replace(/[^\w.:]/g, '')) ? 'field' : undefined;
  }
}
