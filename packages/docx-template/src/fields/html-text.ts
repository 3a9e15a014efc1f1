import { decodeReferences, XmlError } from '@scriptorium/ooxml/xml';

/** The formats of a piece of HTML that a field shows. */
interface HtmlMarks {
  isBold: boolean;
  isItalic: boolean;
  isUnderlined: boolean;
}

/** A text of one format. A line feed is a line break. */
export interface HtmlPiece extends HtmlMarks {
  text: string;
}

/** Elements that begin and end a paragraph. */
const BLOCK = /^(?:p|div|h[1-6]|ul|ol|li|table|tr|blockquote|pre|section|article|header|footer|hr|dl|dt|dd)$/;
const UNSEEN = /^(?:script|style|head|title|template|noscript|iframe|object)$/;
const FORMATS: ReadonlyMap<string, keyof HtmlMarks> = new Map([
  ['b', 'isBold'],
  ['strong', 'isBold'],
  ['i', 'isItalic'],
  ['em', 'isItalic'],
  ['u', 'isUnderlined'],
  ['ins', 'isUnderlined'],
]);
const TAG = /^<(\/?)([a-z][a-z0-9]*)/i;
const REFERENCE = /&(?:#\d{1,7}|#x[\da-f]{1,6}|[a-z]{2,8});/gi;
/** XML knows the other usual ones. */
const NAMED: Readonly<Record<string, string>> = {
  nbsp: '\u00a0',
  ndash: '–',
  mdash: '—',
  hellip: '…',
  euro: '€',
};

/**
 * The paragraphs of an HTML text: its line breaks, bold, italic and underlined text, and items of lists. Everything else
 * is read as its text. Nothing is loaded or run. Time is linear in the length.
 */
export function htmlParagraphs(html: string): HtmlPiece[][] {
  const reader = new HtmlReader();
  let at = 0;
  while (at < html.length) {
    const open = html.indexOf('<', at);
    reader.text(html.slice(at, open === -1 ? html.length : open));
    if (open === -1) break;
    const match = TAG.exec(html.slice(open, open + 32));
    const isComment = html.startsWith('<!--', open);
    if (match === null && !isComment && html[open + 1] !== '!') {
      reader.text('<');
      at = open + 1;
      continue;
    }
    const end = html.indexOf(isComment ? '-->' : '>', open);
    if (end === -1) break;
    if (match !== null) reader.tag((match[2] ?? '').toLowerCase(), match[1] === '/');
    at = end + (isComment ? 3 : 1);
  }
  return reader.end();
}

/** An unknown name stays as it is. A character that XML does not allow goes. */
function decoded(reference: string): string {
  const named = NAMED[reference.slice(1, -1)];
  if (named !== undefined) return named;
  try {
    return decodeReferences(reference);
  } catch (error) {
    if (!(error instanceof XmlError)) throw error;
    return reference[1] === '#' ? '' : reference;
  }
}

class HtmlReader {
  readonly #paragraphs: HtmlPiece[][] = [];
  #current: HtmlPiece[] = [];
  readonly #depths: Record<keyof HtmlMarks, number> = { isBold: 0, isItalic: 0, isUnderlined: 0 };
  #unseen: string | undefined;

  text(source: string): void {
    if (this.#unseen !== undefined || source === '') return;
    const text = source.replace(REFERENCE, decoded).replace(/[ \t\r\n\f]+/g, ' ');
    const isStart = this.#current.length === 0 || this.#current.at(-1)?.text.endsWith('\n') === true;
    this.#add(isStart ? text.replace(/^ /, '') : text);
  }

  tag(name: string, isEnd: boolean): void {
    if (this.#unseen !== undefined) {
      if (isEnd && name === this.#unseen) this.#unseen = undefined;
      return;
    }
    if (UNSEEN.test(name) && !isEnd) this.#unseen = name;
    const format = FORMATS.get(name);
    if (format !== undefined) this.#depths[format] = Math.max(0, this.#depths[format] + (isEnd ? -1 : 1));
    if (name === 'br') this.#add('\n');
    if (/^t[dh]$/.test(name) && isEnd) this.#add('\t');
    if (BLOCK.test(name)) this.#endParagraph();
    if (name === 'li' && !isEnd) this.#add('•\t');
  }

  end(): HtmlPiece[][] {
    this.#endParagraph();
    return this.#paragraphs;
  }

  #add(text: string): void {
    const { isBold, isItalic, isUnderlined } = this.#depths;
    if (text !== '')
      this.#current.push({
        text,
        isBold: isBold > 0,
        isItalic: isItalic > 0,
        isUnderlined: isUnderlined > 0,
      });
  }

  #endParagraph(): void {
    const last = this.#current.at(-1);
    if (last !== undefined) last.text = last.text.trimEnd();
    const shown = this.#current.filter(({ text }) => text !== '');
    if (shown.length > 0) this.#paragraphs.push(shown);
    this.#current = [];
  }
}
