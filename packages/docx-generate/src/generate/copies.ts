import type { PackageEditor } from '@scriptorium/docx-template/editor';
import { escapeXml } from '@scriptorium/ooxml/xml';
import type { CopiedNotes } from './copied-notes.ts';
import { ID_MARK } from './piece-marks.ts';
import type { PlacedTexts } from './placed-texts.ts';
import type { CopyOp, NoteOp, Op } from './program.ts';

/** Word's limit for a name (ECMA-376-1 §17.13.6.2). */
const BOOKMARK_CHARS_MAX = 40;
/** Above the numbers that editors assign. They stay below 2^31. */
const FIRST_PARAGRAPH = 0x7000_0000;
const FIRST_CONTROL = 1_600_000_000;
const FIRST_RANGE = 1_000_000_000;

/** One iteration of a loop. */
interface Frame {
  /** 0 for the first copy, which keeps the identifiers of the template. */
  copy: number;
  /** The indexes of this copy and of those around it: `.2` in a piece, `-2` in a control. */
  path: string;
  known: Map<string, string>;
}

/** Identifiers of the copies that loops make. The first copy keeps those of the template. */
export class Copies {
  readonly #editor: PackageEditor;
  readonly #notes: CopiedNotes;
  readonly #frames: Frame[] = [];
  readonly #taken: ReadonlySet<string>;
  readonly #places: PlacedTexts | undefined;
  #copies = 0;
  #paragraph = FIRST_PARAGRAPH;
  #control = FIRST_CONTROL;
  #range = FIRST_RANGE;

  /**
   * `taken`: paragraph ids and control ids that the template already has. `places`: marks stand for identifiers, until
   * `resolved` writes them.
   */
  constructor(
    editor: PackageEditor,
    notes: CopiedNotes,
    taken: ReadonlySet<string>,
    places: PlacedTexts | undefined,
  ) {
    this.#places = places;
    this.#editor = editor;
    this.#notes = notes;
    this.#taken = taken;
  }

  /** Begins the iteration with this index of a loop. `isPiece`: it is a piece of a block. */
  enter(index: number, isPiece: boolean): void {
    const isFirst = index === 0 && (this.#frames.at(-1)?.copy ?? 0) === 0;
    const path = `${this.#frames.at(-1)?.path ?? ''}${isPiece ? '.' : '-'}${index}`;
    this.#frames.push({ copy: isFirst ? 0 : ++this.#copies, path, known: new Map() });
  }

  /** Begins a section that is shown once: a part of the copy around it. */
  enterSame(): void {
    this.#frames.push(this.#frames.at(-1) ?? { copy: 0, path: '', known: new Map() });
  }

  leave(): void {
    this.#frames.pop();
  }

  /** An identifier as attribute text. */
  identifier({ what, value, depth }: Omit<CopyOp, 'kind'>): string {
    const frame = this.#frames[depth - 1];
    if (frame !== undefined && this.#places !== undefined && what !== 'first')
      return this.#places.id(what, frame.path, escapeXml(value));
    if (frame === undefined || frame.copy === 0) return what === 'first' ? value : escapeXml(value);
    return this.#another(frame, what, value);
  }

  /** Writes the identifiers for which marks stand, as `writtenTree` names their copies. The first copy has no name. */
  resolved(text: string): string {
    const frames = new Map<string, Frame>();
    return text.replace(ID_MARK, (_, what: CopyOp['what'], path: string, value: string) => {
      if (path === '') return value;
      const frame = frames.get(path) ?? { copy: ++this.#copies, path, known: new Map() };
      frames.set(path, frame);
      return this.#another(frame, what, value);
    });
  }

  /** The id of a note or a comment. */
  note(op: NoteOp, write: (ops: readonly Op[]) => string): string {
    const frame = this.#frames[op.depth - 1];
    if (frame === undefined) return op.id;
    return this.#once(frame, `${op.notes} ${op.id}`, () => this.#notes.add(op, frame.copy, write));
  }

  /** An identifier of a copy that is not the first. */
  #another(frame: Frame, what: CopyOp['what'], value: string): string {
    switch (what) {
      case 'paragraph':
        return this.#next(() => (this.#paragraph++).toString(16).toUpperCase().padStart(8, '0'));
      case 'drawing':
        return String(this.#editor.nextDrawingId());
      case 'control':
        return this.#next(() => String(this.#control++));
      case 'range':
        return this.#once(frame, `range ${value}`, () => String(this.#range++));
      case 'bookmark':
        return escapeXml(suffixed(value, `_${frame.copy + 1}`));
      case 'list':
        return this.#once(frame, `list ${value}`, () => this.#editor.numbering.restartedList(value) ?? value);
      case 'first':
        return '';
    }
  }

  #next(make: () => string): string {
    let id = make();
    while (this.#taken.has(id)) id = make();
    return id;
  }

  #once({ known }: Frame, key: string, make: () => string): string {
    const value = known.get(key) ?? make();
    known.set(key, value);
    return value;
  }
}

function suffixed(name: string, suffix: string): string {
  return name.slice(0, BOOKMARK_CHARS_MAX - suffix.length) + suffix;
}
