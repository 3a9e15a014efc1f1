import { tooComplex } from '../pdf-error.ts';
import type { PdfDocument } from '../read/document.ts';
import type { Dict, Ref } from '../read/values.ts';
import { literal } from '../write/literal.ts';
import { editDict, type ObjectSink, type Update } from '../write/update.ts';
import type { FormField, Widget } from './form-fields.ts';
import type { FormFont, FormFonts } from './form-fonts.ts';
import type { Frame } from './frame.ts';

const SHOWN_CHARS_MAX = 2_000_000;

type Changes = Record<string, string | undefined>;

/** What is wrong with a value; undefined if it is written. */
export type Issue = string | undefined;

/** A PNG or JPEG, and how it is turned when it is shown. */
export interface FormPicture {
  bytes: Buffer;
  isMirrored: boolean;
  /** Clockwise, after it is mirrored. */
  degrees: 0 | 90 | 180 | 270;
}

/** A form of the size of a picture in pixels. */
export interface Icon {
  ref: string;
  width: number;
  height: number;
}

/** What a widget shows. */
export interface Look {
  widget: Widget;
  font: FormFont;
  content: string;
  frame: Frame;
}

/** The changes of the objects of a form, each written once. */
export class Filling implements ObjectSink {
  readonly document: PdfDocument;
  readonly fonts: FormFonts;
  /** Whether a script of a field that was filled would show or compute something. */
  skipsScripts = false;
  /** What was made of a picture, which several buttons may show. */
  readonly icons = new Map<FormPicture, Icon | undefined>();
  /** Whether the looks become content of their pages, where a reader cannot scroll. */
  readonly isFlattened: boolean;
  #shownChars = 0;
  readonly #update: Update;
  readonly #changes = new Map<number, { ref: Ref; dict: Dict; changes: Changes }>();

  constructor(update: Update, fonts: FormFonts, isFlattened: boolean) {
    this.isFlattened = isFlattened;
    this.document = update.document;
    this.fonts = fonts;
    this.#update = update;
  }

  set(ref: Ref, dict: Dict, changes: Changes): void {
    const known = this.#changes.get(ref.num);
    this.#changes.set(ref.num, { ref, dict, changes: { ...known?.changes, ...changes } });
  }

  /** Sets the keys of the value of a field. What a widget has of its own would hide them. */
  setValue({ holders, widgets }: FormField, { V = '()', ...changes }: Changes): void {
    for (const { ref, dict } of widgets) if (dict.entries.has('V')) this.set(ref, dict, { V: undefined });
    // Without a value, it would have that of a field above.
    for (const { ref, dict } of holders) this.set(ref, dict, { V, ...changes });
  }

  show(looks: readonly Look[]): void {
    for (const { widget, font, content, frame } of looks)
      this.set(widget.ref, widget.dict, { AP: `<</N ${this.look(content, frame, font.resources)}>>` });
  }

  look(content: string, { keys }: Frame, resources: FormFont['resources']): Ref {
    return this.#update.add(literal.stream(`${keys}/Resources ${resources}`, Buffer.from(content, 'latin1')));
  }

  /** Counts the characters of looks: many places may show one text. Throws DOCUMENT_TOO_COMPLEX. */
  count(text: string): void {
    this.#shownChars += text.length;
    if (this.#shownChars > SHOWN_CHARS_MAX)
      throw tooComplex(`more than ${SHOWN_CHARS_MAX} characters in the looks of form fields`);
  }

  add(object: string | Buffer): Ref {
    return this.#update.add(object);
  }

  finish(): void {
    this.fonts.finish();
    for (const { ref, dict, changes } of this.#changes.values())
      this.#update.replace(ref, editDict(dict, changes));
  }
}
