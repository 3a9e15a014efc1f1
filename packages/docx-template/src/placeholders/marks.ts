import { BOUNDS, boundPassed } from '@scriptorium/ooxml/bounds';
import { decodeReferences, type XmlNode } from '@scriptorium/ooxml/xml';
import type { Story } from '../template/story.ts';
import { type Piece, textGroupsOf } from '../template/text-groups.ts';

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

/**
 * The marks of a story, in document order.
 *
 * A name has 1–200 characters without a brace or a line end, except surrounding white space. It is in one paragraph.
 * Only range marks and proofing marks may interrupt it, but no tab, break, picture, field, or end of a content control.
 * `{{{name}}}` belongs to another language and stays. Throws TemplateError DOCUMENT_TOO_COMPLEX if there are very many.
 */
export function findMarks(story: Story): Mark[] {
  if (!story.xml.includes('{')) return [];
  const marks: Mark[] = [];
  for (const { texts } of textGroupsOf(story)) {
    for (const mark of marksIn(texts, story)) {
      marks.push(mark);
      if (marks.length > BOUNDS.placeholdersMax) throw boundPassed('placeholdersMax', story.part.name);
    }
  }
  return marks;
}

function* marksIn(texts: readonly XmlNode[], story: Story): Generator<Mark> {
  const whole = texts.map(({ openEnd, closeStart }) => story.xml.slice(openEnd, closeStart)).join('');
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
    const named = isPlain ? pieces : piecesOf(texts, first, index - firstAt, written.length);
    const [piece, ...others] = pieces;
    if (piece !== undefined) yield { story, pieces: [piece, ...others], named };
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
