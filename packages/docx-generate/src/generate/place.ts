import type { Story } from '@scriptorium/docx-template/template';
import { ancestorsOf, type XmlNode } from '@scriptorium/ooxml/xml';

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

/** Names the places of elements for people. It counts the content of each element once. */
export class Places {
  readonly #numbers = new Map<XmlNode, number>();

  /** `word/document.xml:table[2]/row[3]/cell[1]/paragraph[1]`, counted from 1. */
  nameOf({ part }: Pick<Story, 'part'>, node: XmlNode): string {
    const steps: string[] = [];
    for (const element of [node, ...ancestorsOf(node)]) {
      const name = COUNTED.get(element.name);
      if (name !== undefined) steps.unshift(`${name}[${this.#numberOf(element)}]`);
      else if (element.name === 'w:txbxContent') steps.unshift('text box');
    }
    return steps.length === 0 ? part.name : `${part.name}:${steps.join('/')}`;
  }

  #numberOf(node: XmlNode): number {
    const known = this.#numbers.get(node);
    if (known !== undefined) return known;
    let container = node.parent;
    while (container !== undefined && TRANSPARENT.has(container.name)) container = container.parent;
    if (container !== undefined) this.#count(container, new Map());
    return this.#numbers.get(node) ?? 1;
  }

  #count({ children }: XmlNode, counts: Map<string, number>): void {
    for (const child of children) {
      const number = (counts.get(child.name) ?? 0) + 1;
      counts.set(child.name, number);
      this.#numbers.set(child, number);
      if (TRANSPARENT.has(child.name)) this.#count(child, counts);
    }
  }
}
