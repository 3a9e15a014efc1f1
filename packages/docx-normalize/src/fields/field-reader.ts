import {
  attributeOf,
  childOf,
  childValue,
  decodeReferences,
  descendantsOf,
  type XmlNode,
} from '@scriptorium/ooxml/xml';
import { fieldName } from './instruction.ts';

/** A field of a part, whole (ECMA-376-1 §17.16.18). */
export interface FoundField {
  name: string;
  /** The instruction, with the fields inside it. */
  pieces: (string | FoundField)[];
  /** The elements of the field except those of its result. */
  marks: XmlNode[];
  /** The elements that show something, of its result. */
  shown: XmlNode[];
  /** The last field character, or the element of a simple field. */
  last: XmlNode;
  isSimple: boolean;
  /** It must keep its result: it is locked, spans paragraphs, or has more than text. */
  isFixed: boolean;
  /** The language of its first run, if it names one. */
  language: string | undefined;
  /** Number of sections that end before it. */
  section: number;
  /** The cell that it stands in. */
  cell: XmlNode | undefined;
}

interface OpenField extends FoundField {
  isInResult: boolean;
}

/** What the fields of one part may refer to. */
export interface PartFields {
  /** In order of their ends. Those inside the instruction of another one are only there. */
  fields: FoundField[];
  /** The stretches of text between bookmarks, and the indexes where each bookmark begins and ends. */
  texts: string[];
  bookmarks: ReadonlyMap<string, { from: number; to: number; notes: readonly NoteNumber[] }>;
  /** The properties of the sections, in order. */
  sections: readonly XmlNode[];
}

/** The number of a note: its position among all, and among those of its section, from 1. */
export interface NoteNumber {
  kind: 'footnote' | 'endnote';
  position: number;
  inSection: number;
  section: number;
}

const TEXTS = new Set(['w:t', 'w:tab', 'w:br', 'w:cr', 'w:noBreakHyphen']);
/** Content of a result that a text cannot replace. */
const OTHERS = new Set([
  'w:p',
  'w:tbl',
  'w:drawing',
  'w:pict',
  'w:object',
  'w:sym',
  'm:oMath',
  'm:oMathPara',
]);
/** Content that was deleted, and records of former properties. */
const GONE = new Set(['w:del', 'w:moveFrom', 'w:sectPrChange', 'w:pPrChange', 'w:rPrChange', 'mc:Fallback']);
const NESTED_MAX = 50;

/** Reads the fields of a part, its bookmarks, notes and sections. */
export function readFields(root: XmlNode, xml: string): PartFields {
  return new FieldReader(xml).read(root);
}

class FieldReader {
  readonly #xml: string;
  readonly #open: OpenField[] = [];
  readonly #fields: FoundField[] = [];
  readonly #texts: string[] = [];
  readonly #bookmarks = new Map<string, { from: number; to: number; notes: NoteNumber[] }>();
  readonly #openBookmarks = new Map<string, string>();
  readonly #sections: XmlNode[] = [];
  readonly #notes = { footnote: { position: 0, inSection: 0 }, endnote: { position: 0, inSection: 0 } };
  #section = 0;
  /** Where the current section ends, if that is known. */
  #sectionEnd = Number.POSITIVE_INFINITY;
  /** The cells around, innermost last. */
  readonly #cells: XmlNode[] = [];

  constructor(xml: string) {
    this.#xml = xml;
  }

  read(root: XmlNode): PartFields {
    for (const node of descendantsOf(root, ({ name }) => GONE.has(name)))
      if (!GONE.has(node.name)) this.#take(node);
    return {
      fields: this.#fields,
      texts: this.#texts,
      bookmarks: this.#bookmarks,
      sections: this.#sections,
    };
  }

  #take(node: XmlNode): void {
    if (node.start >= this.#sectionEnd) this.#endSection();
    if (OTHERS.has(node.name)) for (const field of this.#open) field.isFixed = true;
    if (TEXTS.has(node.name)) this.#show(node);
    switch (node.name) {
      case 'w:fldChar':
        this.#mark(node);
        break;
      case 'w:instrText':
        this.#instruct(node);
        break;
      case 'w:fldSimple':
        this.#simple(node);
        break;
      case 'w:bookmarkStart':
      case 'w:bookmarkEnd':
        this.#bookmark(node);
        break;
      case 'w:footnoteReference':
      case 'w:endnoteReference':
        this.#note(node);
        break;
      case 'w:sectPr':
        this.#properties(node);
        break;
      case 'w:tc':
        this.#leaveCells(node);
        this.#cells.push(node);
    }
  }

  #leaveCells({ start }: XmlNode): void {
    while (this.#cells.length > 0 && (this.#cells.at(-1)?.end ?? 0) <= start) this.#cells.pop();
  }

  #endSection(): void {
    this.#section++;
    this.#sectionEnd = Number.POSITIVE_INFINITY;
    this.#notes.footnote.inSection = 0;
    this.#notes.endnote.inSection = 0;
  }

  /** Properties in a paragraph end their section with it; the others are those of the last section. */
  #properties(node: XmlNode): void {
    this.#sections.push(node);
    const paragraph = node.parent?.name === 'w:pPr' ? node.parent.parent : undefined;
    if (paragraph !== undefined) this.#sectionEnd = paragraph.end;
  }

  #show(node: XmlNode): void {
    const outer = this.#open.findLast(({ isInResult }) => !isInResult);
    const innermost = this.#open.at(-1);
    if (innermost?.isInResult === true) innermost.shown.push(node);
    else innermost?.marks.push(node);
    if (outer === undefined) this.#texts.push(this.#textOf(node));
  }

  #textOf({ name, openEnd, closeStart }: XmlNode): string {
    if (name === 'w:t') return decodeReferences(this.#xml.slice(openEnd, closeStart));
    return name === 'w:tab' ? '\t' : name === 'w:noBreakHyphen' ? '-' : '\n';
  }

  #begin(node: XmlNode, isSimple: boolean): OpenField {
    const run = isSimple ? node.children.find(({ name }) => name === 'w:r') : node.parent;
    const properties = run && childOf(run, 'w:rPr');
    this.#leaveCells(node);
    return {
      ...{ name: '', pieces: [], marks: [node], shown: [], last: node, isSimple, isInResult: isSimple },
      isFixed: ['1', 'true', 'on'].includes(attributeOf(node, 'w:fldLock') ?? ''),
      language: properties && childValue(properties, 'w:lang'),
      section: this.#section,
      cell: this.#cells.at(-1),
    };
  }

  #mark(node: XmlNode): void {
    const type = attributeOf(node, 'w:fldCharType');
    if (type === 'begin') {
      // The sanitizer refuses the document.
      if (this.#open.length < NESTED_MAX) this.#open.push(this.#begin(node, false));
      return;
    }
    const field = this.#open.at(-1);
    if (field === undefined) return;
    field.marks.push(node);
    if (type === 'separate') field.isInResult = true;
    if (type !== 'end') return;
    field.last = node;
    this.#open.pop();
    this.#close(field);
  }

  #instruct(node: XmlNode): void {
    const field = this.#open.at(-1);
    if (field === undefined || field.isInResult) return;
    field.marks.push(node);
    field.pieces.push(decodeReferences(this.#xml.slice(node.openEnd, node.closeStart)));
    if (node.children.length > 0) field.isFixed = true;
  }

  #close(field: FoundField): void {
    field.name = fieldName(field.pieces.map((piece) => (typeof piece === 'string' ? piece : '')).join(''));
    const outer = this.#open.at(-1);
    if (outer === undefined || outer.isInResult) this.#fields.push(field);
    if (outer === undefined) return;
    if (!outer.isInResult) outer.pieces.push(field);
    const target = outer.isInResult ? outer.shown : outer.marks;
    for (const node of field.marks) target.push(node);
    for (const node of field.shown) target.push(node);
  }

  /** Only simple fields with plain runs are read; the runs inside are visited later, as content of the outer field. */
  #simple(node: XmlNode): void {
    const field = this.#begin(node, true);
    field.pieces.push(attributeOf(node, 'w:instr') ?? '');
    for (const inner of descendantsOf(node)) {
      if (TEXTS.has(inner.name)) field.shown.push(inner);
      else if (OTHERS.has(inner.name) || inner.name === 'w:fldChar' || inner.name === 'w:fldSimple')
        field.isFixed = true;
    }
    field.name = fieldName(String(field.pieces[0]));
    const outer = this.#open.at(-1);
    if (outer === undefined || outer.isInResult) this.#fields.push(field);
    if (outer !== undefined) outer.isFixed = true;
  }

  #bookmark(node: XmlNode): void {
    const id = attributeOf(node, 'w:id') ?? '';
    if (node.name === 'w:bookmarkStart') {
      const name = attributeOf(node, 'w:name')?.toUpperCase() ?? '';
      if (this.#bookmarks.has(name)) return;
      this.#openBookmarks.set(id, name);
      this.#bookmarks.set(name, { from: this.#texts.length, to: this.#texts.length, notes: [] });
      return;
    }
    const bookmark = this.#bookmarks.get(this.#openBookmarks.get(id) ?? '');
    if (bookmark !== undefined) bookmark.to = this.#texts.length;
    this.#openBookmarks.delete(id);
  }

  #note(node: XmlNode): void {
    if (['1', 'true', 'on'].includes(attributeOf(node, 'w:customMarkFollows') ?? '')) return;
    const kind = node.name === 'w:footnoteReference' ? 'footnote' : 'endnote';
    const count = this.#notes[kind];
    count.position++;
    count.inSection++;
    const note = { kind, ...count, section: this.#section } as const;
    const [last] = [...this.#openBookmarks.values()].slice(-1);
    const bookmark = this.#bookmarks.get(last ?? '');
    if (bookmark?.notes.length === 0) bookmark.notes.push(note);
  }
}
