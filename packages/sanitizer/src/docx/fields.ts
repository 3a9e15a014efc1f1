import { displayOf, fieldName } from '@scriptorium/docx-normalize/instruction';
import { BOUNDS, boundPassed } from '@scriptorium/ooxml/bounds';
import type { DropKind, Dropped, Inspector, Part } from '@scriptorium/ooxml/package';
import {
  type Edit,
  type ElementHandler,
  type ElementSpan,
  escapeXml,
  type OpenTag,
  prefixAt,
  type XmlVisitor,
} from '@scriptorium/ooxml/xml';

/** A field, described by its instruction (ECMA-376-1 §17.16). */
interface Field {
  /** First word of the instruction, in capitals: `DDEAUTO`. */
  name: string;
  instruction: string;
  /** Names of the fields inside the instruction, at any depth. */
  inside: readonly string[];
  /** What its name begins with, in capitals, if an inner field goes on with it; otherwise null or undefined. */
  begun?: string | null;
}

/** Decides whether a field is replaced by its last result, and returns how that is reported. */
export type FieldRule = (field: Field) => DropKind | 'unreported' | undefined;

interface OpenField {
  instruction: string;
  /** The elements of the instruction, as indexes of `removals`, and their texts. */
  pieces: { removal: Edit; text: string }[];
  /** The same without tracked deletions, with the results of inner fields. Readers differ on which of the two they use. */
  liveInstruction: string;
  inside: string[];
  begun?: string | null;
  /** Removals of everything except the result: the field characters and the instruction. */
  removals: Edit[];
  isInResult: boolean;
}

const DETAIL_CHARS_MAX = 200;
const NAME_BEGUN = /^[\s"'\\\u201c\u201d]*([A-Za-z]*)$/;
const NOTHING_INSIDE = { inside: [] };
const UNENDED = { what: 'field', detail: 'without an end', leavesGap: false } as const;
/** Run content that would be visible if it were left over from an instruction. Readers add texts to the instruction. */
const RUN_CONTENT = ['w:tab', 'w:br', 'w:cr', 'w:sym', 'w:drawing', 'w:pict', 'w:object'];

/**
 * Elements that readers read as a whole, in one of two versions, or not at all. A field that begins inside must end
 * inside, and an outer field does not continue there.
 */
const ENCLOSURES = [
  ...['mc:Choice', 'mc:Fallback', 'w:txbxContent'],
  ...['w:sdtPr', 'w:sdtEndPr', 'w:pPr', 'w:rPr', 'w:sectPr', 'w:tblPr', 'w:trPr', 'w:tcPr'],
  ...['w:body', 'w:hdr', 'w:ftr', 'w:footnote', 'w:endnote', 'w:comment', 'w:docPartBody'],
];

/** Spreading would exceed the maximum number of arguments. */
function append<T>(list: T[], more: readonly T[]): void {
  for (const item of more) list.push(item);
}

/** Tracks the fields of one part. Complex fields nest, and span runs and paragraphs. */
class FieldTracker {
  readonly #part: Part;
  readonly #rules: readonly FieldRule[];
  readonly #dropped: Dropped[];
  readonly #keepsLoose: boolean;
  readonly #open: OpenField[] = [];
  /** For each open enclosure, the number of open fields around it. */
  readonly #floors: number[] = [];
  #markType: string | undefined;
  /** Number of open instruction elements, and the text of the outermost. */
  #depth = 0;
  #piece = '';
  /** Number of open tracked deletions. */
  #deletions = 0;
  /** For each open `w:fldSimple`, whether it loses its instruction and its end tag. */
  readonly #simple: boolean[] = [];

  constructor(part: Part, rules: readonly FieldRule[], dropped: Dropped[], keepsLoose: boolean) {
    this.#part = part;
    this.#keepsLoose = keepsLoose;
    this.#rules = rules;
    this.#dropped = dropped;
  }

  visitor(): XmlVisitor {
    const instruction = (isDeleted: boolean): ElementHandler => ({
      open: () => this.#openInstruction(),
      text: (text) => {
        this.#piece += text;
      },
      close: (span) => this.#closeInstruction(span, isDeleted),
    });
    const looseText = (isDeleted: boolean): ElementHandler => ({
      text: (text) => this.#addInstruction(text, isDeleted),
      close: (span) => this.#noteInside(span),
    });
    const enclosure: ElementHandler = {
      open: () => void this.#floors.push(this.#open.length),
      close: () => this.#closeEnclosure(),
    };
    const deletion: ElementHandler = {
      open: () => void this.#deletions++,
      close: () => void this.#deletions--,
    };
    const content: ElementHandler = { close: (span) => this.#noteInside(span) };
    return {
      ...Object.fromEntries(RUN_CONTENT.map((name) => [name, content])),
      ...Object.fromEntries(ENCLOSURES.map((name) => [name, enclosure])),
      'w:t': looseText(false),
      'w:delText': looseText(true),
      'w:fldChar': {
        open: (tag) => {
          this.#markType = tag.attribute('w:fldCharType');
        },
        close: (span) => this.#mark(span),
      },
      'w:instrText': instruction(false),
      'w:delInstrText': instruction(true),
      'w:del': deletion,
      'w:moveFrom': deletion,
      'w:fldSimple': { open: (tag) => this.#openSimple(tag), close: (span) => this.#closeSimple(span) },
    };
  }

  /** The innermost open field, unless it lies outside the current enclosure. */
  get #field(): OpenField | undefined {
    return this.#open.length > (this.#floors.at(-1) ?? 0) ? this.#open.at(-1) : undefined;
  }

  #addInstruction(text: string, isDeleted: boolean): void {
    const field = this.#field;
    if (field === undefined) return;
    if (!field.isInResult) field.instruction += text;
    const reader = field.isInResult ? this.#open.findLast(({ isInResult }) => !isInResult) : field;
    if (reader && !isDeleted && this.#deletions === 0) reader.liveInstruction += text;
  }

  #openInstruction(): void {
    if (this.#depth++ === 0) this.#piece = '';
  }

  /** Readers differ on instruction text outside a field, or with elements inside. Such text is removed. */
  #closeInstruction(span: ElementSpan, isDeleted: boolean): void {
    if (--this.#depth > 0) return;
    const { start, end, openEnd, closeStart } = span;
    const field = this.#field;
    const holdsElements = /<[^!?]/.test(this.#part.xml?.slice(openEnd, closeStart) ?? '');
    const isLoose = this.#open.length === 0 && !holdsElements;
    if (isLoose && this.#keepsLoose && !this.#judge(this.#piece, NOTHING_INSIDE)) return;
    if (field === undefined || field.isInResult || holdsElements) {
      this.#part.edits.push({ start, end, text: '' });
      return;
    }
    this.#addInstruction(this.#piece, isDeleted);
    const removal = { start, end, text: '' };
    field.removals.push(removal);
    field.pieces.push({ removal, text: this.#piece });
  }

  /** Fields that began in the enclosure and did not end lose their field characters. */
  #closeEnclosure(): void {
    const floor = this.#floors.pop() ?? 0;
    for (const field of this.#open.splice(floor)) {
      if (field.isInResult || !this.#judge(field.instruction, field))
        this.#dropped.push({ ...UNENDED, part: this.#part.name });
      this.#take(field);
    }
  }

  /** Removes everything except the result of the field, now and from here on. */
  #take(field: OpenField): void {
    if (field.removals === this.#part.edits) return;
    append(this.#part.edits, field.removals);
    field.removals = this.#part.edits;
  }

  /** Turns the text of a button, which is in its instruction, into text of the document. Returns whether it has one. */
  #display({ instruction, pieces }: OpenField): boolean {
    const display = displayOf(instruction);
    if (display === undefined) return false;
    let from = 0;
    for (const { removal, text } of pieces) {
      const shown = text.slice(Math.max(0, display.at - from));
      from += text.length;
      const prefix = prefixAt(this.#part.xml ?? '', removal);
      if (shown !== '') removal.text = `<${prefix}t xml:space="preserve">${escapeXml(shown)}</${prefix}t>`;
    }
    return display.text.trim() !== '';
  }

  #judge(
    instruction: string,
    { inside, begun = null }: Pick<Field, 'inside' | 'begun'>,
    display?: () => boolean,
  ): boolean {
    const field = { name: fieldName(instruction), instruction, inside, begun };
    for (const rule of this.#rules) {
      const what = rule(field);
      if (what === undefined) continue;
      const detail = instruction.trim().slice(0, DETAIL_CHARS_MAX);
      const isShown = display?.() === true;
      if (what !== 'unreported')
        this.#dropped.push({ what, part: this.#part.name, detail, ...(isShown && { leavesGap: false }) });
      return true;
    }
    return false;
  }

  /** Notes visible content inside the instruction of an outer field: the result of a nested field. */
  #noteInside({ start, end }: { start: number; end: number }): void {
    const field = this.#open.find(({ isInResult }) => !isInResult);
    field?.removals.push({ start, end, text: '' });
  }

  /** Notes what the name of a field begins with, if its first inner field begins in it. */
  #noteName(): void {
    const field = this.#field;
    if (field === undefined || field.isInResult || field.begun !== undefined) return;
    field.begun = NAME_BEGUN.exec(field.instruction)?.[1]?.toUpperCase() ?? null;
  }

  #mark({ start, end }: ElementSpan): void {
    const removal = { start, end, text: '' };
    if (this.#markType === 'begin') {
      if (this.#open.length === BOUNDS.nestedFieldsMax) throw boundPassed('nestedFieldsMax', this.#part.name);
      this.#noteName();
      this.#open.push({
        instruction: '',
        pieces: [],
        liveInstruction: '',
        inside: [],
        removals: [removal],
        isInResult: false,
      });
      return;
    }
    const field = this.#field;
    const isKnown = this.#markType === 'separate' || this.#markType === 'end';
    if (field === undefined || !isKnown) {
      this.#part.edits.push(removal);
      return;
    }
    field.removals.push(removal);
    if (!field.isInResult) this.#decide(field);
    // With two separators, it is unclear where the instruction ends.
    else if (this.#markType === 'separate') this.#take(field);
    if (this.#markType === 'end') this.#end(field);
  }

  /** The instruction is complete: decides whether the field is dropped. */
  #decide(field: OpenField): void {
    field.isInResult = true;
    const outer = this.#open.at(-2);
    // If the outer field is dropped, nothing of its instruction may stay.
    if (outer !== undefined && !outer.isInResult) {
      append(outer.inside, [fieldName(field.instruction), fieldName(field.liveInstruction), ...field.inside]);
      append(outer.removals, field.removals);
    }
    const { instruction, liveInstruction } = field;
    const isDropped =
      this.#judge(instruction, field, () => this.#display(field)) ||
      (liveInstruction !== instruction && this.#judge(liveInstruction, field));
    if (isDropped) this.#take(field);
  }

  #end(field: OpenField): void {
    this.#open.pop();
    const outer = this.#open.at(-1);
    const last = field.removals.at(-1);
    if (outer !== undefined && !outer.isInResult && last !== undefined) outer.removals.push(last);
  }

  #openSimple(tag: OpenTag): void {
    const instruction = tag.attribute('w:instr') ?? '';
    const outer = this.#open.at(-1);
    if (outer !== undefined && !outer.isInResult) outer.inside.push(fieldName(instruction));
    this.#noteName();
    const isDropped = this.#judge(instruction, NOTHING_INSIDE);
    this.#simple.push(isDropped);
    if (isDropped) this.#part.edits.push({ start: tag.start, end: tag.end, text: '' });
  }

  #closeSimple({ closeStart, end }: { closeStart: number; end: number }): void {
    if (this.#simple.pop() === true && closeStart < end)
      this.#part.edits.push({ start: closeStart, end, text: '' });
  }
}

/**
 * Replaces the fields that a rule selects with their last result as plain text. `keepsLoose` keeps instructions outside of
 * fields that no rule selects; otherwise all of them go.
 */
export function fields(rules: readonly FieldRule[], keepsLoose = false): Inspector {
  return { visit: (part, dropped) => new FieldTracker(part, rules, dropped, keepsLoose).visitor() };
}
