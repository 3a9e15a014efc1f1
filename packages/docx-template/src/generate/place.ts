import { ancestorsOf, type XmlNode } from '@scriptorium/ooxml/xml';
import type { Story } from '../template/story.ts';

/** Elements that a person counts, with their names in a message. */
const COUNTED: ReadonlyMap<string, string> = new Map([
  ['w:tbl', 'table'],
  ['w:tr', 'row'],
  ['w:tc', 'cell'],
  ['w:p', 'paragraph'],
  ['w:footnote', 'footnote'],
  ['w:endnote', 'endnote'],
]);
/** Elements that do not start a new count. */
const TRANSPARENT = new Set(['w:sdt', 'w:sdtContent', 'w:customXml', 'w:ins', 'w:del']);

/** The place of an element for people: `word/document.xml:table[2]/row[3]/cell[1]/paragraph[1]`, counted from 1. */
export function placeName({ part }: Pick<Story, 'part'>, node: XmlNode): string {
  const steps: string[] = [];
  for (const element of [node, ...ancestorsOf(node)]) {
    const name = COUNTED.get(element.name);
    if (name !== undefined) steps.unshift(`${name}[${numberOf(element)}]`);
    else if (element.name === 'w:txbxContent') steps.unshift('text box');
  }
  return steps.length === 0 ? part.name : `${part.name}:${steps.join('/')}`;
}

function numberOf(node: XmlNode): number {
  let container = node.parent;
  while (container !== undefined && TRANSPARENT.has(container.name)) container = container.parent;
  return container === undefined ? 1 : count(container, node);
}

/** The number of elements with the name of `last` in `container` up to `last`. */
function count(container: XmlNode, last: XmlNode): number {
  let number = 0;
  const waiting = [...container.children].reverse();
  for (let node = waiting.pop(); node !== undefined; node = waiting.pop()) {
    if (node.name === last.name) number++;
    if (node === last) break;
    if (TRANSPARENT.has(node.name)) waiting.push(...[...node.children].reverse());
  }
  return number;
}
