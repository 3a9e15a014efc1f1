import { BOUNDS, boundPassed } from '@scriptorium/ooxml/bounds';
import { decodeReferences, type XmlNode } from '@scriptorium/ooxml/xml';
import type { Story } from '../template/story.ts';

/** A range of characters of one `w:t`, by offsets in the story. */
export interface Piece {
  /** The `w:t`. */
  text: XmlNode;
  start: number;
  end: number;
}

/** A possible placeholder: braces around a name, over any number of runs: `{name}`, `{{name}}` or `${name}`. */
export interface Mark {
  story: Story;
  /** The whole mark. */
  pieces: readonly [Piece, ...Piece[]];
  /** The name with its inner braces. */
  named: readonly Piece[];
}

const NAME_CHARS_MAX = 200;
/** In nested braces, the innermost pair is the mark. */
const BRACES = /\{[^{}]+\}/g;

/** Groups of text in a paragraph. A name may cross their boundaries. */
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

/** Invisible elements: properties, deleted text, and what Word inserts between the letters of a name. */
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
 * A name has 1–200 characters without a brace or a line end, except surrounding white space. It is in one paragraph.
 * Only range marks and proofing marks may interrupt it, but no tab, break, picture, field, or end of a content control.
 * `{{{name}}}` belongs to another language and stays. Throws TemplateError DOCUMENT_TOO_COMPLEX if there are very many.
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
  /** The `w:t` elements read as one text so far. */
  #texts: XmlNode[] = [];

  constructor(story: Story) {
    this.#story = story;
  }

  read(node: XmlNode): void {
    const isRun = node.name === 'w:r';
    for (const child of node.children) {
      if (isRun && child.name === 'w:t') this.#add(child);
      // Outside a run, an empty element marks the start or end of a range.
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
    // The content of a CDATA section or a comment is not a mark.
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
      const outer = outerLengths(whole, index, index + written.length);
      if (outer === undefined || !isName(nameIn(written))) continue;
      const [before, behind] = outer;
      const start = index - before;
      for (let text = texts[first]; text && firstAt + lengthOf(text) <= start; text = texts[first]) {
        firstAt += lengthOf(text);
        first++;
      }
      const pieces = piecesOf(texts, first, start - firstAt, before + written.length + behind);
      const isPlain = before + behind === 0;
      this.#keep(pieces, isPlain ? pieces : piecesOf(texts, first, index - firstAt, written.length));
    }
  }

  #keep([first, ...others]: Piece[], named: Piece[]): void {
    if (first !== undefined) this.marks.push({ story: this.#story, pieces: [first, ...others], named });
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

/** The pieces with `length` characters, from offset `skipped` of the text `first`, across the following texts. */
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

/** Characters of a mark before and behind its inner braces. Undefined if it is not a placeholder. */
function outerLengths(whole: string, start: number, end: number): readonly [number, number] | undefined {
  const isDoubled = whole[start - 1] === '{' && whole[end] === '}';
  if (!isDoubled) return whole[start - 1] === '$' ? [1, 0] : [0, 0];
  const isTripled = whole[start - 2] === '{' && whole[end + 1] === '}';
  return isTripled ? undefined : [1, 1];
}

function nameIn(written: string): string {
  return decodeReferences(written.slice(1, -1)).trim();
}

/** A name may contain a brace as a character reference, which docxtemplater would treat as a delimiter. */
function isName(text: string): boolean {
  return text !== '' && text.length <= NAME_CHARS_MAX && !/[{}\r\n\u2028\u2029]/.test(text);
}
