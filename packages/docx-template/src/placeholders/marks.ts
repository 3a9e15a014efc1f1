import { BOUNDS, boundPassed } from '@scriptorium/ooxml/bounds';
import { decodeReferences, type XmlNode } from '@scriptorium/ooxml/xml';
import type { Story } from '../template/story.ts';

/** Some characters of one `w:t`, by their place in the story. */
export interface Piece {
  /** The `w:t`. */
  text: XmlNode;
  start: number;
  end: number;
}

/** What may be a placeholder: braces around a name, over as many runs as it was written in. */
export interface Mark {
  story: Story;
  pieces: readonly [Piece, ...Piece[]];
}

const NAME_CHARS_MAX = 200;
/** Braces within braces are the outer ones' text, so the inner ones are the mark. */
const BRACES = /\{[^{}]+\}/g;

/** They group text of a paragraph; a name may begin before one and end in it. */
const GROUPS = new Set([
  'w:r',
  'w:hyperlink',
  'w:ins',
  'w:moveTo',
  'w:smartTag',
  'w:customXml',
  'w:dir',
  'w:bdo',
]);

/** Nobody reads them: properties, deleted text, and what Word leaves between the letters of a name. */
const UNREAD = new Set([
  'w:pPr',
  'w:rPr',
  'w:sdtPr',
  'w:smartTagPr',
  'w:customXmlPr',
  'w:del',
  'w:moveFrom',
  'w:lastRenderedPageBreak',
  'w:commentReference',
  'w:annotationRef',
]);

/**
 * The marks of a story, in document order.
 *
 * A name is 1–200 characters without a brace or a line end, white space around it aside. It stands in one paragraph, and
 * nothing but marks of ranges and of proofing interrupts it: no tab, break, picture, field, or end of a content control.
 * `{{name}}` is of another language, and stays. Throws TemplateError DOCUMENT_TOO_COMPLEX where there are very many.
 */
export function findMarks(story: Story): Mark[] {
  if (!story.xml.includes('{')) return [];
  const finder = new MarkFinder(story);
  finder.read(story.root);
  return finder.marks;
}

class MarkFinder {
  readonly marks: Mark[] = [];
  readonly #story: Story;
  /** The `w:t` that are read as one text, so far. */
  #texts: XmlNode[] = [];

  constructor(story: Story) {
    this.#story = story;
  }

  read(node: XmlNode): void {
    const isRun = node.name === 'w:r';
    for (const child of node.children) {
      if (isRun && child.name === 'w:t') this.#add(child);
      // Outside of a run, what holds nothing marks the start or end of a range.
      else if (UNREAD.has(child.name) || (!isRun && child.children.length === 0)) continue;
      else if (GROUPS.has(child.name)) this.read(child);
      else {
        this.#endText();
        this.read(child);
        this.#endText();
      }
    }
  }

  #add(text: XmlNode): void {
    // A CDATA section or a comment: what is in it is text, and no mark.
    const isPlain = !this.#source(text).includes('<');
    if (isPlain) this.#texts.push(text);
    else this.#endText();
  }

  #endText(): void {
    const texts = this.#texts;
    if (texts.length === 0) return;
    this.#texts = [];
    const whole = texts.map((text) => this.#source(text)).join('');
    let first = 0;
    let firstAt = 0;
    for (const { 0: written, index } of whole.matchAll(BRACES)) {
      const isDoubled = whole[index - 1] === '{' && whole[index + written.length] === '}';
      if (isDoubled || !isName(nameIn(written))) continue;
      for (let text = texts[first]; text && firstAt + lengthOf(text) <= index; text = texts[first]) {
        firstAt += lengthOf(text);
        first++;
      }
      this.#keep(piecesOf(texts, first, index - firstAt, written.length));
    }
  }

  #keep([first, ...others]: Piece[]): void {
    if (first !== undefined) this.marks.push({ story: this.#story, pieces: [first, ...others] });
    if (this.marks.length > BOUNDS.placeholdersMax)
      throw boundPassed('placeholdersMax', this.#story.part.name);
  }

  #source({ openEnd, closeStart }: XmlNode): string {
    return this.#story.xml.slice(openEnd, closeStart);
  }
}

function lengthOf({ openEnd, closeStart }: XmlNode): number {
  return closeStart - openEnd;
}

/** The `length` characters from `skipped` on in a text and those that follow it. */
function piecesOf(texts: readonly XmlNode[], first: number, skipped: number, length: number): Piece[] {
  const pieces: Piece[] = [];
  let from = skipped;
  let left = length;
  for (let index = first; left > 0; index++) {
    const text = texts[index];
    if (text === undefined) break;
    const taken = Math.min(left, lengthOf(text) - from);
    const start = text.openEnd + from;
    if (taken > 0) pieces.push({ text, start, end: start + taken });
    left -= taken;
    from = 0;
  }
  return pieces;
}

function nameIn(written: string): string {
  return decodeReferences(written.slice(1, -1)).trim();
}

/** A brace may still be in it, written as a reference: for docxtemplater it would begin or end a name. */
function isName(text: string): boolean {
  return text !== '' && text.length <= NAME_CHARS_MAX && !/[{}\r\n\u2028\u2029]/.test(text);
}
