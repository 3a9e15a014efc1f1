import type { Story } from '@scriptorium/docx-template/template';
import { ancestorsOf, attributeOf, childOf, type XmlNode } from '@scriptorium/ooxml/xml';
import type { FoundMark, Unit } from './instruction.ts';

/** The elements that marks with a unit mean. */
export const UNITS: Readonly<Partial<Record<Unit, string>>> = {
  row: 'w:tr',
  cell: 'w:tc',
  table: 'w:tbl',
  paragraph: 'w:p',
};

/** The extent of a mark: from an offset inside one element to an offset inside another. */
export interface Span {
  /** The elements that contain the offsets: `w:t`, or the parent of a Word field. */
  first: XmlNode;
  last: XmlNode;
  start: number;
  end: number;
}

export function spanOf({ place }: Pick<FoundMark, 'place'>): Span {
  if (place.kind === 'text') {
    const [first] = place.pieces;
    const last = place.pieces.at(-1) ?? first;
    return { first: first.text, last: last.text, start: first.start, end: last.end };
  }
  if (place.kind === 'comment') {
    const { from, to } = place;
    return { first: from.parent ?? from, last: to.parent ?? to, start: from.start, end: to.end };
  }
  const [first] = place.nodes;
  const last = place.nodes.at(-1) ?? first;
  const parent = first.parent ?? first;
  return { first: parent, last: parent, start: first.start, end: last.end };
}

/** The nearest element with this name: the node itself or an ancestor, in the same text box. */
export function around(node: XmlNode, name: string): XmlNode | undefined {
  for (const element of [node, ...ancestorsOf(node)]) {
    if (element.name === name) return element;
    if (element.name === 'w:txbxContent') return undefined;
  }
  return undefined;
}

/** An offset at which a part can be divided, with the tags that end the text before it and begin the text after it. */
export interface Cut {
  at: number;
  close: string;
  open: string;
}

/** Elements that can be divided in two, with the child that describes them. */
const DIVISIBLE: ReadonlyMap<string, string> = new Map([
  ['w:t', ''],
  ['w:r', 'w:rPr'],
  ['w:hyperlink', ''],
  ['w:ins', ''],
  ['w:moveTo', ''],
  ['w:smartTag', 'w:smartTagPr'],
  ['w:customXml', 'w:customXmlPr'],
  ['w:dir', ''],
  ['w:bdo', ''],
]);

/** A place between elements, where nothing has to be divided. */
export function plainCut(at: number): Cut {
  return { at, close: '', open: '' };
}

/**
 * The cut at an offset inside `node`, which divides the elements from `node` up to `top`, but not `top`. Undefined if
 * one of them cannot be divided, such as a content control.
 */
export function cutAt(story: Story, node: XmlNode, offset: number, top: XmlNode): Cut | undefined {
  let [inner, at] = [node, offset];
  while (inner !== top && inner.parent !== undefined) {
    if (at === inner.closeStart) at = inner.end;
    else if (at <= contentStart(inner)) at = inner.start;
    else break;
    inner = inner.parent;
  }
  let close = '';
  let open = '';
  for (let element = inner; element !== top; element = element.parent as XmlNode) {
    if (!DIVISIBLE.has(element.name) || element.parent === undefined) return undefined;
    close += story.xml.slice(element.closeStart, element.end);
    open = opening(element, story) + open;
  }
  return { at, close, open };
}

/** The start of the content of an element, after its properties. */
function contentStart(node: XmlNode): number {
  const properties = childOf(node, DIVISIBLE.get(node.name) ?? '');
  return properties?.end ?? node.openEnd;
}

/** The tags with which an element begins anew: its start tag and its properties. */
export function opening(node: XmlNode, { xml }: Story): string {
  if (node.name === 'w:t') return preservingTag(node, xml);
  return xml.slice(node.start, contentStart(node));
}

/** The start tag of a `w:t` that keeps the white space around its text. */
export function preservingTag(text: XmlNode, xml: string): string {
  const tag = xml.slice(text.start, text.openEnd);
  const space = attributeOf(text, 'xml:space');
  if (space === 'preserve') return tag;
  if (space === undefined) return `${tag.slice(0, -1)} xml:space="preserve">`;
  return tag.replace(/(\sxml:space\s*=\s*["'])[^"']*/, '$1preserve');
}
