import { applyEdits, attributeOf, descendantsOf, type Edit, type XmlNode } from '@scriptorium/ooxml/xml';
import { type ChartTree, namespaceOf, sourceOf } from './chart-tree.ts';

const ACCENTS = 6;
/** How later rounds differ from the accents themselves, as Word's palettes have it: luminance in 1/1000 %. */
const VARIATIONS: readonly (readonly [modulation: number, offset: number])[] = [
  [100_000, 0],
  [60_000, 0],
  [80_000, 20_000],
  [80_000, 0],
  [60_000, 40_000],
  [50_000, 0],
];

/** A color that looks use: an accent of the theme in one of its variations, or RGB in hexadecimal digits. */
export type Color = { accent: number; round: number } | { rgb: string };

/** The color by which readers know a series or a point: of its fill, else of its line or markers. */
export function mainColor(nodes: readonly XmlNode[]): XmlNode | undefined {
  for (const node of nodes)
    for (const inner of descendantsOf(node))
      if (inner.name === 'a:schemeClr' || inner.name === 'a:srgbClr') return inner;
  return undefined;
}

/** The name of a color without its shades: `accent1`, `FF0000`. */
export function baseOf(color: XmlNode): string {
  return attributeOf(color, 'val') ?? '';
}

/** Colors after those of the template: accents that it does not use yet, from that of `first` on. */
export class Palette {
  readonly #used: Set<string>;
  #next: number;

  constructor(first: string | undefined, used: Iterable<string>) {
    this.#used = new Set(used);
    this.#next = Math.max(0, Number(/^accent([1-6])$/.exec(first ?? '')?.[1] ?? 1) - 1);
  }

  next(): Color {
    const until = this.#next + ACCENTS;
    while (this.#next < until && this.#used.has(`accent${(this.#next % ACCENTS) + 1}`)) this.#next++;
    const color = {
      accent: (this.#next % ACCENTS) + 1,
      round: Math.floor(this.#next / ACCENTS) % VARIATIONS.length,
    };
    this.#next++;
    if (this.#next % ACCENTS === 0) this.#used.clear();
    return color;
  }
}

/** The edits that give an element this color wherever it has the color `from`, in any shade. */
export function recoloring(chart: ChartTree, node: XmlNode, from: XmlNode, to: Color): Edit[] {
  const main = sourceOf(chart, from);
  const edits: Edit[] = [];
  for (const inner of descendantsOf(node)) {
    if (inner.name !== from.name || baseOf(inner) !== baseOf(from)) continue;
    // The shade of the main color is part of it. A border in another shade keeps its own.
    const isMain = sourceOf(chart, inner) === main;
    const kept = inner.children.filter(
      ({ name }) => name === 'a:alpha' || ('accent' in to ? name !== 'a:alpha' : !isMain),
    );
    const text = colorElement(chart, to, kept.map((child) => sourceOf(chart, child)).join(''));
    edits.push({ start: inner.start, end: inner.end, text });
  }
  return edits;
}

/** The source of an element with edits inside it. */
export function edited(chart: ChartTree, node: XmlNode, edits: readonly Edit[]): string {
  const own = edits.map(({ start, end, text }) => ({
    start: start - node.start,
    end: end - node.start,
    text,
  }));
  return applyEdits(sourceOf(chart, node), own);
}

/** `a:solidFill` with a color. */
export function solidFill(chart: ChartTree, color: Color): string {
  return `<a:solidFill xmlns:a="${namespaceOf(chart, 'a')}">${colorElement(chart, color)}</a:solidFill>`;
}

function colorElement(chart: ChartTree, color: Color, modifiers = ''): string {
  const namespace = `xmlns:a="${namespaceOf(chart, 'a')}"`;
  if ('rgb' in color) return `<a:srgbClr ${namespace} val="${color.rgb}">${modifiers}</a:srgbClr>`;
  const [modulation, offset] = VARIATIONS[color.round] ?? [100_000, 0];
  const shade =
    (modulation < 100_000 ? `<a:lumMod val="${modulation}"/>` : '') +
    (offset > 0 ? `<a:lumOff val="${offset}"/>` : '');
  return `<a:schemeClr ${namespace} val="accent${color.accent}">${shade}${modifiers}</a:schemeClr>`;
}
