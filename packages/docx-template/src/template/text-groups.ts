import { attributeOf, type XmlNode } from '@scriptorium/ooxml/xml';
import type { Story } from './story.ts';

/** A range of characters of one `w:t`, by offsets in the story. */
export interface Piece {
  /** The `w:t`. */
  text: XmlNode;
  start: number;
  end: number;
}

/** The `w:t` elements of a paragraph that read as one text. */
export interface TextGroup {
  story: Story;
  texts: readonly [XmlNode, ...XmlNode[]];
  /** Tabs and line breaks inside, with the number of texts before each. */
  breaks: readonly { node: XmlNode; before: number }[];
}

/** Groups of text in a paragraph. A mark may cross their boundaries. */
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
 * The texts of a story, in document order. Only range marks and proofing marks may interrupt a text, but no picture,
 * field, or end of a content control. With `crossesBreaks`, tabs and line breaks may interrupt it too.
 */
export function textGroupsOf(story: Story, options: { crossesBreaks?: boolean } = {}): TextGroup[] {
  const reader = new GroupReader(story, options.crossesBreaks === true);
  reader.read(story.root);
  return reader.groups;
}

class GroupReader {
  readonly groups: TextGroup[] = [];
  readonly #story: Story;
  readonly #crossesBreaks: boolean;
  #texts: XmlNode[] = [];
  #breaks: { node: XmlNode; before: number }[] = [];

  constructor(story: Story, crossesBreaks: boolean) {
    this.#story = story;
    this.#crossesBreaks = crossesBreaks;
  }

  read(node: XmlNode): void {
    const isRun = node.name === 'w:r';
    for (const child of node.children) {
      if (isRun && child.name === 'w:t') this.#add(child);
      // Outside a run, an empty element marks the start or end of a range.
      else if (UNREAD.has(child.name) || (!isRun && child.children.length === 0)) continue;
      else if (GROUPS.has(child.name)) this.read(child);
      else if (isRun && this.#crossesBreaks && isLineBreak(child))
        this.#breaks.push({ node: child, before: this.#texts.length });
      else {
        this.#end();
        this.read(child);
        this.#end();
      }
    }
  }

  #add(text: XmlNode): void {
    // The content of a CDATA section or a comment is not read.
    const isPlain = !this.#story.xml.slice(text.openEnd, text.closeStart).includes('<');
    if (isPlain) this.#texts.push(text);
    else this.#end();
  }

  #end(): void {
    const [first, ...others] = this.#texts;
    if (first !== undefined)
      this.groups.push({ story: this.#story, texts: [first, ...others], breaks: this.#breaks });
    this.#texts = [];
    this.#breaks = [];
  }
}

function isLineBreak(node: XmlNode): boolean {
  if (node.name === 'w:tab' || node.name === 'w:cr') return true;
  return node.name === 'w:br' && (attributeOf(node, 'w:type') ?? 'textWrapping') === 'textWrapping';
}
