import { escapeXml, type XmlNode } from '@scriptorium/ooxml/xml';
import type { PackageEditor } from '../package-editor.ts';
import type { Story } from '../template/story.ts';

/**
 * Sets an attribute of an element, or takes it away for `undefined`. `name` is canonical, in the element's own namespace,
 * whose prefix a new attribute gets.
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
  // Without one it would be in no namespace.
  if (prefix === '') return;
  const at = node.start + 1 + element.length;
  const local = name.slice(name.lastIndexOf(':') + 1);
  editor.edit(story, { start: at, end: at, text: ` ${prefix}${local}="${escapeXml(value)}"` });
}

/** Takes an element out. */
export function removeElement(
  editor: PackageEditor,
  story: Pick<Story, 'part'>,
  node: XmlNode | undefined,
): void {
  if (node !== undefined) editor.edit(story, { start: node.start, end: node.end, text: '' });
}
