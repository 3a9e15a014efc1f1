import { ancestorsOf, type XmlNode } from '@scriptorium/ooxml/xml';

/** The elements of a template that filled content has replaced. */
export class Replaced {
  /** The filled place: its control, or the text in which its placeholder begins. */
  readonly #by = new Map<XmlNode, XmlNode>();

  /** The first replacement of an element takes precedence. */
  add(nodes: Iterable<XmlNode>, by: XmlNode): void {
    for (const node of nodes) if (!this.#by.has(node)) this.#by.set(node, by);
  }

  /** Whether an element is replaced, or is inside a replaced element. */
  has(node: XmlNode): boolean {
    return this.#by.has(node) || [...ancestorsOf(node)].some((outer) => this.#by.has(outer));
  }

  /** Whether a filled place is not visible, because it is inside an element that another field replaced. */
  hides(place: XmlNode): boolean {
    for (const outer of ancestorsOf(place)) {
      const by = this.#by.get(outer);
      if (by !== undefined && by !== place) return true;
    }
    return false;
  }
}
