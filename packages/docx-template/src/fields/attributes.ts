import { escapeXml, type XmlNode } from '@scriptorium/ooxml/xml';
import type { PackageEditor } from '../package-editor.ts';
import type { Story } from '../template/story.ts';

/**
 * Sets an attribute of an element, or removes it if the value is `undefined`. `name` is canonical, in the namespace of
 * the element. A new attribute gets the element's prefix.
 */
export function setAttribute(
  editor: PackageEditor,
  story: Pick<Story, 'part' | 'xml'>,
  node: XmlNode,
  name: string,
  value: string | undefined,
): void {
  const known = node.attributes.find((attribute) => attribute.name === name);
  if (known !== undefined) {
    const [start, end] = [node.start + known.start, node.start + known.end];
    const written = story.xml.slice(start, end).split('=', 1)[0]?.trimEnd() ?? '';
    const text = value === undefined ? '' : `${written}="${escapeXml(value)}"`;
    editor.edit(story, { start, end, text });
    return;
  }
  if (value === undefined) return;
  const element = /^<([^\s/>]+)/.exec(story.xml.slice(node.start, node.openEnd))?.[1] ?? '';
  const prefix = element.slice(0, element.lastIndexOf(':') + 1);
  // Without a prefix the attribute would have no namespace.
  if (prefix === '') return;
  const at = node.start + 1 + element.length;
  const local = name.slice(name.lastIndexOf(':') + 1);
  editor.edit(story, { start: at, end: at, text: ` ${prefix}${local}="${escapeXml(value)}"` });
}

/** Removes an element. */
export function removeElement(
  editor: PackageEditor,
  story: Pick<Story, 'part'>,
  node: XmlNode | undefined,
): void {
  if (node !== undefined) editor.edit(story, { start: node.start, end: node.end, text: '' });
}
