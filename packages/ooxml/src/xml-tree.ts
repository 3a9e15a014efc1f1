import type { ElementSpan, OpenTag, XmlVisitor } from './xml-scan.ts';
import type { Attribute } from './xml-tag.ts';

/** An element of a scanned text, by its offsets, so that unchanged elements keep their characters. */
export interface XmlNode extends ElementSpan {
  /** Canonical: `w:p`, whatever prefix the document uses. */
  readonly name: string;
  readonly attributes: readonly Attribute[];
  readonly parent: XmlNode | undefined;
  readonly children: XmlNode[];
}

/** Builds the tree of a text while `scanXml` reads it. */
export class TreeBuilder {
  #open: XmlNode | undefined;
  #root: XmlNode | undefined;
  /** Number of elements so far. */
  count = 0;

  readonly visitor: XmlVisitor = {
    '*': { open: (tag) => this.#enter(tag), close: (span) => this.#leave(span) },
  };

  /** Throws if the text was not read to its end. */
  get root(): XmlNode {
    if (this.#root === undefined || this.#open !== undefined) throw new Error('the text was not read');
    return this.#root;
  }

  #enter({ name, attributes, start, end }: OpenTag): void {
    const parent = this.#open;
    const node: XmlNode = {
      name,
      attributes,
      parent,
      children: [],
      start,
      openEnd: end,
      closeStart: end,
      end,
    };
    parent?.children.push(node);
    this.count++;
    this.#root ??= node;
    this.#open = node;
  }

  #leave({ closeStart, end }: ElementSpan): void {
    const node = this.#open;
    if (node === undefined) throw new Error('an element ends that did not begin');
    node.closeStart = closeStart;
    node.end = end;
    this.#open = node.parent;
  }
}

export function attributeOf(node: XmlNode, name: string): string | undefined {
  return node.attributes.find((attribute) => attribute.name === name)?.value;
}

export function childOf(node: XmlNode, name: string): XmlNode | undefined {
  return node.children.find((child) => child.name === name);
}

/** The value of a child's attribute: `<w:alias w:val="…"/>`. */
export function childValue(node: XmlNode, name: string, attribute = 'w:val'): string | undefined {
  const child = childOf(node, name);
  return child === undefined ? undefined : attributeOf(child, attribute);
}

/** The descendants, in document order. Includes an element for which `isOpaque` is true, but not its descendants. */
export function* descendantsOf(
  node: XmlNode,
  isOpaque: (inner: XmlNode) => boolean = () => false,
): Generator<XmlNode> {
  const waiting: XmlNode[] = [];
  const enter = ({ children }: XmlNode) => {
    for (let at = children.length - 1; at >= 0; at--) waiting.push(children[at] as XmlNode);
  };
  enter(node);
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    yield next;
    if (!isOpaque(next)) enter(next);
  }
}

/** The ancestors, innermost first. */
export function* ancestorsOf(node: XmlNode): Generator<XmlNode> {
  for (let outer = node.parent; outer !== undefined; outer = outer.parent) yield outer;
}
