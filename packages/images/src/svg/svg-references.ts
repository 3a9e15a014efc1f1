import { BOUNDS, Budget } from '@scriptorium/ooxml/bounds';
import { type OpenTag, scanXml, type XmlVisitor } from '@scriptorium/ooxml/xml';
import { formatOf, isRaster, pixelsOf } from '../formats.ts';
import {
  addDeclarations,
  addReferences,
  noReferences,
  readStyleSheet,
  type StyleReferences,
  type StyleSheet,
  SvgRefusal,
} from './svg-style.ts';

const ELEMENTS_MAX = 20_000;
/** Elements after expansion: repeated ones count each time they are drawn. */
const EXPANDED_MAX = 20_000;
/** Length of a chain of references. */
const CHAIN_MAX = 500;
/** Selectors of the style sheet times elements. */
const MATCHES_MAX = 200_000;
/** References. A class counts its references once for each element that has it. */
const REFERENCES_MAX = 200_000;
/** Characters of path data that cost as much as one element, and the cost of one text character in elements. */
const [PATH_CHARS_A_UNIT, UNITS_A_CHARACTER] = [50, 4];
const ACTIVE = new Set(['script', 'foreignObject', 'iframe', 'embed', 'object', 'audio', 'video', 'handler']);
/** Filters whose cost grows with a number that the document chooses. */
const COSTLY = new Set(['feTurbulence', 'feConvolveMatrix', 'feMorphology', 'feImage', 'feTile']);
const GRADIENTS = new Set(['linearGradient', 'radialGradient', 'stop']);
const ADDRESSES = new Set(['href', 'xlink:href', 'src']);
const DATA_URI = /^data:image\/(?:png|jpeg|jpg|gif);base64,/i;

interface Element {
  /** Its own cost, in elements. */
  units: number;
  inner: Element[];
  refers: StyleReferences;
  classes: string[];
  cost?: number;
}

/**
 * Checks the references of an SVG picture and returns whether it has text. Throws SvgRefusal if it refers to anything
 * outside, contains active content, or repeats its parts too often to be drawn quickly. Throws XmlError and
 * OoxmlError like `scanXml`.
 */
export function checkReferences(xml: string, part: string): { hasText: boolean } {
  const reader = new ReferenceReader();
  scanXml(xml, [reader.visitor()], { budget: new Budget(), part });
  reader.checkExpansion();
  return { hasText: reader.hasText };
}

class ReferenceReader {
  hasText = false;
  #count = 0;
  #imagePixels = 0;
  #vertices = 0;
  #references = 0;
  #css = '';
  #styles: StyleSheet = { byClass: new Map(), selectors: 0 };
  readonly #root: Element = newElement(0);
  readonly #byId = new Map<string, Element>();
  readonly #open: Element[] = [];

  visitor(): XmlVisitor {
    const text = { text: (content: string) => this.#text(content) };
    const style = {
      text: (css: string) => {
        this.#css += css;
      },
    };
    return {
      '*': { open: (tag) => this.#enter(tag), close: () => this.#open.pop() },
      'svg:text': text,
      'svg:tspan': text,
      'svg:textPath': text,
      'svg:a': text,
      'svg:style': style,
    };
  }

  checkExpansion(): void {
    this.#styles = readStyleSheet(this.#css);
    if (this.#styles.selectors * this.#count > MATCHES_MAX)
      throw new SvgRefusal('its style sheet has too many rules');
    if (!(this.#cost(this.#root, 0) <= EXPANDED_MAX))
      throw new SvgRefusal(`it draws more than ${EXPANDED_MAX} elements`);
  }

  #text(content: string): void {
    const characters = content.trim().length;
    if (characters === 0) return;
    this.hasText = true;
    const element = this.#open.at(-1);
    if (element !== undefined) element.units += UNITS_A_CHARACTER * characters;
  }

  #enter(tag: OpenTag): void {
    if (++this.#count > ELEMENTS_MAX) throw new SvgRefusal(`it has more than ${ELEMENTS_MAX} elements`);
    if (tag.depth === 0 && tag.name !== 'svg:svg') throw new SvgRefusal('its root element is not `svg`');
    const name = tag.name.startsWith('svg:') ? tag.name.slice(4) : tag.name;
    if (ACTIVE.has(name) || COSTLY.has(name)) throw new SvgRefusal(`it contains the element ${name}`);
    const path = tag.attribute('d') ?? tag.attribute('points') ?? '';
    const element = newElement(GRADIENTS.has(name) ? 0 : 1 + path.length / PATH_CHARS_A_UNIT);
    this.#vertices = Math.max(this.#vertices, 2 + path.length / 2);
    element.classes = (tag.attribute('class') ?? '').split(/\s+/);
    for (const { name: attribute, value } of tag.attributes) {
      if (ADDRESSES.has(attribute)) this.#address(name, value.trim(), element.refers);
      else if (attribute === 'style') addDeclarations(element.refers, value);
      else if (!attribute.startsWith('xmlns') && /[(\\]/.test(value))
        addReferences(element.refers, attribute, value);
    }
    const id = tag.attribute('id');
    if (id !== undefined) this.#byId.set(id, element);
    (this.#open.at(-1) ?? this.#root).inner.push(element);
    this.#open.push(element);
  }

  #address(element: string, address: string, refers: StyleReferences): void {
    if (address === '' || element === 'a') return;
    if (address.startsWith('#')) {
      refers.ids.push(address.slice(1));
      return;
    }
    if (element !== 'image' || !DATA_URI.test(address)) throw new SvgRefusal('it refers to another file');
    this.#embedded(Buffer.from(address.slice(address.indexOf(',') + 1), 'base64'));
  }

  #embedded(image: Buffer): void {
    const format = formatOf(image);
    const pixels = isRaster(format) ? pixelsOf(format, image) : undefined;
    if (pixels === undefined) throw new SvgRefusal('it contains an image in an unsupported format');
    this.#imagePixels += pixels;
    if (this.#imagePixels > BOUNDS.imagePixelsMax / 4)
      throw new SvgRefusal('it contains images that are too large');
  }

  /** Number of elements drawn for one element. Infinity if it contains itself. */
  #cost(element: Element, chain: number): number {
    if (element.cost !== undefined) return element.cost;
    if (chain > CHAIN_MAX) return Infinity;
    // If it is met again before its cost is known, it contains itself.
    element.cost = Infinity;
    const all = [element.refers, ...element.classes.map((name) => this.#styles.byClass.get(name))];
    let sum = element.units;
    let each = 1;
    for (const inner of element.inner) sum += this.#cost(inner, chain + 1);
    for (const refers of all) {
      for (const id of refers?.ids ?? []) sum += this.#costOf(id, chain);
      for (const id of refers?.inherited ?? []) each += this.#costOf(id, chain);
      for (const id of refers?.markers ?? []) each += this.#vertices * this.#costOf(id, chain);
    }
    element.cost = sum * each;
    return element.cost;
  }

  #costOf(id: string, chain: number): number {
    if (++this.#references > REFERENCES_MAX) throw new SvgRefusal('it refers to its parts too often');
    const element = this.#byId.get(id);
    return element === undefined ? 0 : this.#cost(element, chain + 1);
  }
}

function newElement(units: number): Element {
  return { units, inner: [], refers: noReferences(), classes: [] };
}
