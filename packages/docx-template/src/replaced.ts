import { ancestorsOf, type XmlNode } from '@scriptorium/ooxml/xml';

/** Where elements of a template are no more, for something that fills a place has been put there. */
export class Replaced {
  /** What filled the place: its control, or the text in which its placeholder begins. */
  readonly #by = new Map<XmlNode, XmlNode>();

  /** The first to replace an element stays the one. */
  add(nodes: Iterable<XmlNode>, by: XmlNode): void {
    for (const node of nodes) if (!this.#by.has(node)) this.#by.set(node, by);
  }

  /** Whether an element is, or stands in, what has been replaced. */
  has(node: XmlNode): boolean {
    return this.#by.has(node) || [...ancestorsOf(node)].some((outer) => this.#by.has(outer));
  }

  /** Whether what fills a place is not to be seen: it stands in what another one has replaced. */
  hides(place: XmlNode): boolean {
    for (const outer of ancestorsOf(place)) {
      const by = this.#by.get(outer);
      if (by !== undefined && by !== place) return true;
    }
    return false;
  }
}
