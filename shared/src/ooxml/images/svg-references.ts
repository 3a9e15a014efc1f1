import { BOUNDS, Budget } from '../bounds.ts';
import { type OpenTag, scanXml, type XmlVisitor } from '../xml-scan.ts';
import { formatOf, isRaster, pixelsOf } from './formats.ts';

/** Why an SVG image is not drawn. The message is for a report. */
export class SvgRefusal extends Error {}

const ELEMENTS_MAX = 20_000;
/** Elements once every `use` and marker stands for what it repeats. */
const EXPANDED_MAX = 20_000;
/** Characters of path data that cost as much to read as an element. */
const PATH_CHARS_A_UNIT = 50;
const ACTIVE = new Set(['script', 'foreignObject', 'iframe', 'embed', 'object', 'audio', 'video', 'handler']);
/** Filters whose cost grows with a number that the document chooses. */
const COSTLY = new Set(['feTurbulence', 'feConvolveMatrix', 'feMorphology', 'feImage', 'feTile']);
const ADDRESSES = new Set(['href', 'xlink:href', 'src']);
const DATA_URI = /^data:image\/(?:png|jpeg|jpg|gif);base64,/i;
const MARKER_RULE = /marker[\w-]*\s*:\s*url/i;

/** What is drawn inside an element with an id, or in the whole picture. */
interface Group {
  units: number;
  /** What it repeats, and how often. */
  repeats: { id: string; times: number }[];
}

/**
 * Reads an SVG picture for what it refers to; says whether it has text. Throws SvgRefusal where it refers to anything
 * outside of itself, holds active content, or repeats its parts more often than can be drawn in a moment; XmlError and
 * AppError as `scanXml` does.
 */
export function checkReferences(xml: string, part: string): { hasText: boolean } {
  const reader = new ReferenceReader();
  scanXml(xml, [reader.visitor()], { budget: new Budget(), part });
  if (reader.expandedUnits() > EXPANDED_MAX)
    throw new SvgRefusal(`it draws more than ${EXPANDED_MAX} elements`);
  return { hasText: reader.hasText };
}

class ReferenceReader {
  hasText = false;
  #elements = 0;
  #imagePixels = 0;
  #css = '';
  readonly #groups = new Map<string, Group>();
  readonly #open: { id: string; isMarker: boolean }[] = [];
  #markers = 0;

  visitor(): XmlVisitor {
    const text = {
      text: (content: string) => {
        if (/\S/.test(content)) this.hasText = true;
      },
    };
    return {
      '*': { open: (tag) => this.#enter(tag), close: () => this.#leave() },
      'svg:text': text,
      'svg:tspan': text,
      'svg:textPath': text,
      'svg:style': {
        text: (css) => {
          this.#css += css;
        },
        close: () => this.#checkStyleSheet(),
      },
    };
  }

  /** Elements drawn in all; Infinity where something repeats itself. */
  expandedUnits(): number {
    const known = new Map<string, number>();
    const units = (id: string): number => {
      const seen = known.get(id);
      if (seen !== undefined) return seen;
      // Met again before it is known, it is inside itself.
      known.set(id, Infinity);
      const group = this.#groups.get(id);
      let sum = group?.units ?? 0;
      for (const repeat of group?.repeats ?? []) sum += repeat.times * units(repeat.id);
      known.set(id, sum);
      return sum;
    };
    return units('');
  }

  #group(id: string): Group {
    let group = this.#groups.get(id);
    if (group === undefined) {
      group = { units: 0, repeats: [] };
      this.#groups.set(id, group);
    }
    return group;
  }

  #enter(tag: OpenTag): void {
    if (++this.#elements > ELEMENTS_MAX) throw new SvgRefusal(`it has more than ${ELEMENTS_MAX} elements`);
    const name = tag.name.startsWith('svg:') ? tag.name.slice(4) : tag.name;
    if (tag.depth === 0 && tag.name !== 'svg:svg') throw new SvgRefusal('it is no SVG image');
    if (ACTIVE.has(name) || COSTLY.has(name)) throw new SvgRefusal(`it holds the element ${name}`);
    const outer = this.#open.at(-1)?.id ?? '';
    const id = tag.attribute('id') ?? outer;
    if (id !== outer) this.#group(outer).repeats.push({ id, times: 1 });
    const path = tag.attribute('d') ?? tag.attribute('points') ?? '';
    const group = this.#group(id);
    group.units += 1 + path.length / PATH_CHARS_A_UNIT;
    for (const { name: attribute, value } of tag.attributes) {
      if (ADDRESSES.has(attribute)) this.#checkAddress(name, value, group);
      else if (!attribute.startsWith('xmlns')) this.#checkValue(name, attribute, value, path, group);
    }
    const isMarker = name === 'marker';
    if (isMarker) this.#markers++;
    this.#open.push({ id, isMarker });
  }

  #leave(): void {
    if (this.#open.pop()?.isMarker === true) this.#markers--;
  }

  #checkAddress(element: string, value: string, group: Group): void {
    const address = value.trim();
    if (address === '' || element === 'a') return;
    if (address.startsWith('#')) {
      if (element === 'use') group.repeats.push({ id: address.slice(1), times: 1 });
      return;
    }
    if (element !== 'image' || !DATA_URI.test(address)) throw new SvgRefusal('it refers to another file');
    this.#checkData(Buffer.from(address.slice(address.indexOf(',') + 1), 'base64'));
  }

  #checkData(image: Buffer): void {
    const format = formatOf(image);
    const pixels = isRaster(format) ? pixelsOf(format, image) : undefined;
    if (pixels === undefined) throw new SvgRefusal('it holds an image of another format');
    this.#imagePixels += pixels;
    if (this.#imagePixels > BOUNDS.imagePixelsMax / 4)
      throw new SvgRefusal('it holds images that are too large');
  }

  #checkValue(element: string, name: string, value: string, path: string, group: Group): void {
    if (!value.includes('(') && !value.includes('\\')) return;
    const ids = checkCss(value);
    const isMarking = name.startsWith('marker') || (name === 'style' && MARKER_RULE.test(value));
    if (!isMarking || ids.length === 0) return;
    // Where it is set on a group or in a marker, one cannot tell how often it is drawn.
    if (this.#markers > 0 || !['path', 'line', 'polyline', 'polygon'].includes(element))
      throw new SvgRefusal(`it sets markers on the element ${element}`);
    for (const id of ids) group.repeats.push({ id, times: 2 + path.length / 2 });
  }

  #checkStyleSheet(): void {
    checkCss(this.#css);
    if (MARKER_RULE.test(this.#css)) throw new SvgRefusal('its style sheet sets markers');
    this.#css = '';
  }
}

/** The ids that a style refers to. Throws SvgRefusal for anything else that it refers to, or could hide. */
function checkCss(css: string): string[] {
  if (/\\|@import|image-set|\/\*.*url/is.test(css)) throw new SvgRefusal('its style refers to another file');
  return [...css.matchAll(/(?:url|src)\s*\(\s*["']?\s*([^"')]*)/gi)].map(([, address = '']) => {
    if (!address.startsWith('#')) throw new SvgRefusal('its style refers to another file');
    return address.slice(1).trim();
  });
}
