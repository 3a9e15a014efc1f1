import { Budget } from '@scriptorium/ooxml/bounds';
import {
  type Attribute,
  type Edit,
  escapeXml,
  scanXml,
  TreeBuilder,
  type XmlNode,
} from '@scriptorium/ooxml/xml';

/** A part as a tree, with its text. */
export interface Tree {
  xml: string;
  root: XmlNode;
}

/** Reads a part that was already found sound. */
export function treeOf(xml: string | undefined, part: string): Tree | undefined {
  if (xml === undefined) return undefined;
  const builder = new TreeBuilder();
  scanXml(xml, [builder.visitor], { budget: new Budget(), part });
  return { xml, root: builder.root };
}

/** A start tag: of a node of a tree, or of a scan. */
export interface Tag {
  readonly name: string;
  readonly start: number;
  readonly attributes: readonly Attribute[];
}

/** The edit that replaces the value of an attribute. */
export function valueEdit(xml: string, tag: Tag, name: string, value: string): Edit | undefined {
  const found = tag.attributes.find((attribute) => attribute.name === name);
  if (found === undefined || found.value === value) return undefined;
  const { written } = writtenName(xml, tag, found);
  return attributeEdit(tag, found, `${written}="${escapeXml(value)}"`);
}

/** The edit that replaces a whole attribute. */
export function attributeEdit(tag: Tag, { start, end }: Attribute, text: string): Edit {
  return { start: tag.start + start, end: tag.start + end, text };
}

/** The name of an attribute as the document writes it, and its prefix with the colon. */
export function writtenName(
  xml: string,
  tag: Tag,
  { start }: Attribute,
): { written: string; prefix: string } {
  const from = tag.start + start;
  const [written] = /^[^\s=]+/.exec(xml.slice(from, from + 1_000)) ?? [''];
  return { written, prefix: written.slice(0, written.indexOf(':') + 1) };
}

/** The edit that removes an element. */
export function removal({ start, end }: XmlNode): Edit {
  return { start, end, text: '' };
}
