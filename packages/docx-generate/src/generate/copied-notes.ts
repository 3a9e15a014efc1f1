import type { PackageEditor } from '@scriptorium/docx-template/editor';
import type { Story } from '@scriptorium/docx-template/template';
import { Budget } from '@scriptorium/ooxml/bounds';
import type { Part } from '@scriptorium/ooxml/package';
import { attributeOf, scanXml, TreeBuilder, type XmlNode } from '@scriptorium/ooxml/xml';
import { type Item, RANKS } from './items.ts';
import type { NoteOp, Op } from './program.ts';

const COMMENTS_TYPE = /\.comments\+xml$/;
const OWN_ID = /(\s\w+:id=["'])[^"']*/;
const PARAGRAPH_IDS = /\s\w+:(?:paraId|textId)="[^"]*"/g;
/** Above the numbers that editors assign. */
const FIRST_ID = 100_000;

/** The notes to which loops refer, by kind and id, with the steps of those that have been compiled. */
export class LoopNotes {
  readonly #ops = new Map<string, readonly Op[]>();
  readonly #stories = new Map<NoteOp['notes'], Story>();

  refer(notes: NoteOp['notes'], id: string): void {
    this.#ops.set(`${notes} ${id}`, []);
  }

  /** Items that take these notes out of the part of notes. Each copy writes its own. */
  itemsOf(story: Story): Item[] {
    const kind = story.place;
    if (kind !== 'footnote' && kind !== 'endnote') return [];
    this.#stories.set(kind, story);
    return story.root.children
      .filter((note) => this.#ops.has(`${kind} ${attributeOf(note, 'w:id')}`))
      .map((note) => ({
        start: note.start,
        end: note.end,
        rank: RANKS.removed,
        make: (writer) => {
          this.#ops.set(`${kind} ${attributeOf(note, 'w:id')}`, writer.write(note.start, note.end));
          return '';
        },
      }));
  }

  stepsOf({ notes, id }: NoteOp): readonly Op[] {
    return this.#ops.get(`${notes} ${id}`) ?? [];
  }

  storyOf(kind: NoteOp['notes']): Story | undefined {
    return this.#stories.get(kind);
  }
}

interface NotesPart {
  story: Pick<Story, 'part' | 'xml'>;
  root: XmlNode;
}

/** Writes the notes and comments of copies. The first copy keeps the id of the template. */
export class CopiedNotes {
  readonly #editor: PackageEditor;
  readonly #notes: LoopNotes;
  #comments: NotesPart | null | undefined;
  #next = FIRST_ID;

  constructor(editor: PackageEditor, notes: LoopNotes) {
    this.#editor = editor;
    this.#notes = notes;
  }

  /** The id of a note in the copy with this number. Adds its text to the part of notes. */
  add(op: NoteOp, copy: number, write: (ops: readonly Op[]) => string): string {
    const id = copy === 0 ? op.id : String(this.#next++);
    if (op.notes === 'comment') return this.#addComment(op, copy, id);
    const story = this.#notes.storyOf(op.notes);
    if (story === undefined) return op.id;
    this.#append({ story, root: story.root }, write(this.#notes.stepsOf(op)), copy, id);
    return id;
  }

  #addComment(op: NoteOp, copy: number, id: string): string {
    const comments = this.#commentsPart();
    const comment = comments?.root.children.find((node) => attributeOf(node, 'w:id') === op.id);
    if (comments === undefined || comment === undefined || copy === 0) return op.id;
    this.#append(comments, comments.story.xml.slice(comment.start, comment.end), copy, id);
    return id;
  }

  #append({ story, root }: NotesPart, note: string, copy: number, id: string): void {
    const text = copy === 0 ? note : note.replace(PARAGRAPH_IDS, '').replace(OWN_ID, `$1${id}`);
    this.#editor.edit(story, { start: root.closeStart, end: root.closeStart, text });
  }

  #commentsPart(): NotesPart | undefined {
    if (this.#comments === undefined) this.#comments = this.#readComments() ?? null;
    return this.#comments ?? undefined;
  }

  #readComments(): NotesPart | undefined {
    const isComments = ({ contentType }: Part) => COMMENTS_TYPE.test(contentType);
    const part = [...this.#editor.template.document.parts.values()].find(isComments);
    if (part?.xml === undefined) return undefined;
    const tree = new TreeBuilder();
    scanXml(part.xml, [tree.visitor], { budget: new Budget(), part: part.name });
    return { story: { part, xml: part.xml }, root: tree.root };
  }
}
