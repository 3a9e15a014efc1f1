import { createHash } from 'node:crypto';
import type { Source } from './source.ts';

const DRAWING_MAX = 0x7fffffff;
/** `w14:paraId` is less than this ([MS-DOCX] 2.6.2.3). */
const PARAGRAPH_MAX = 0x80000000;

/** The identities that the merged document has given so far. Each must be unique in it. */
export class Identities {
  #annotations = 0;
  #comments = 0;
  #textBoxes = 0;
  readonly #notes = { footnote: 0, endnote: 0 };
  readonly #drawings = new Set<string>();
  #lastDrawing = 0;
  readonly #controls = new Set<string>();
  #lastControl = 0;
  readonly #paragraphs = new Set<string>();
  #lastParagraph = 0;
  /** Lower case: Word compares names of bookmarks without regard to case. */
  readonly #bookmarks = new Set<string>();
  readonly #bookmarkNumbers = new Map<string, number>();
  readonly #stores = new Set<string>();
  #hasCursor = false;

  /** Takes those of a document as they are. */
  keep({ scans, document }: Source): void {
    const { removable = [] } = scans.get(document.main.key) ?? {};
    if (removable.some(({ kind }) => kind === 'cursor')) this.keepCursor();
    for (const { sites } of scans.values())
      for (const { kind, value } of sites) {
        const number = /^-?\d{1,9}$/.test(value) ? Number(value) : 0;
        if (kind === 'annotation') this.#annotations = Math.max(this.#annotations, number);
        else if (kind === 'textBox') this.#textBoxes = Math.max(this.#textBoxes, number);
        else if (kind === 'comment') this.#comments = Math.max(this.#comments, number);
        else if (kind === 'footnote' || kind === 'endnote')
          this.#notes[kind] = Math.max(this.#notes[kind], number);
        else if (kind === 'drawing') this.#drawings.add(value);
        else if (kind === 'control') this.#controls.add(value);
        else if (kind === 'paragraph' || kind === 'durable') this.#paragraphs.add(value.toUpperCase());
        else if (kind === 'bookmark') this.#bookmarks.add(value.toLowerCase());
        else if (kind === 'store') this.#stores.add(value.toUpperCase());
      }
  }

  annotation(): string {
    return String(++this.#annotations);
  }

  comment(): string {
    return String(++this.#comments);
  }

  /** Text flows through the text boxes of one id. */
  textBox(): string {
    return String(++this.#textBoxes);
  }

  note(kind: 'footnote' | 'endnote'): string {
    this.#notes[kind] = Math.max(0, this.#notes[kind]) + 1;
    return String(this.#notes[kind]);
  }

  /** Keeps an id from new notes. */
  keepNote(kind: 'footnote' | 'endnote', id: string): void {
    if (/^\d{1,9}$/.test(id)) this.#notes[kind] = Math.max(this.#notes[kind], Number(id));
  }

  drawing(): string {
    do this.#lastDrawing = (this.#lastDrawing + 1) % DRAWING_MAX;
    while (this.#drawings.has(String(this.#lastDrawing)));
    return String(this.#lastDrawing);
  }

  /** An id of a content control is kept if it is free. */
  control(id: string): string {
    let free = id;
    while (this.#controls.has(free)) free = String(++this.#lastControl);
    this.#controls.add(free);
    return free;
  }

  /** An id of a paragraph, or the durable id of a comment. */
  paragraph(id: string): string {
    let free = id.toUpperCase();
    while (this.#paragraphs.has(free)) {
      this.#lastParagraph = (this.#lastParagraph + 1) % PARAGRAPH_MAX;
      free = this.#lastParagraph.toString(16).toUpperCase().padStart(8, '0');
    }
    this.#paragraphs.add(free);
    return free;
  }

  /** Whether the text has a bookmark of Word's cursor. */
  hasCursor(): boolean {
    return this.#hasCursor;
  }

  keepCursor(): void {
    this.#hasCursor = true;
  }

  /** Word limits a name to 40 characters. */
  bookmark(name: string): string {
    let free = name;
    while (this.#bookmarks.has(free.toLowerCase())) {
      const stem = name.slice(0, 33);
      const number = (this.#bookmarkNumbers.get(stem.toLowerCase()) ?? 1) + 1;
      this.#bookmarkNumbers.set(stem.toLowerCase(), number);
      free = `${stem}_${number}`;
    }
    this.#bookmarks.add(free.toLowerCase());
    return free;
  }

  /** A GUID of a data store is kept if it is free. */
  store(id: string, document: number): string {
    let free = id;
    for (let round = 0; this.#stores.has(free.toUpperCase()); round++) {
      const hex = createHash('sha256').update(`${id} ${document} ${round}`).digest('hex').toUpperCase();
      const group = (from: number, to: number) => hex.slice(from, to);
      free = `{${group(0, 8)}-${group(8, 12)}-${group(12, 16)}-${group(16, 20)}-${group(20, 32)}}`;
    }
    this.#stores.add(free.toUpperCase());
    return free;
  }
}
