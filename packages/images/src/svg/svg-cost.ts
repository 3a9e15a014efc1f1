import { Budget } from '@scriptorium/ooxml/bounds';
import { type OpenTag, scanXml } from '@scriptorium/ooxml/xml';
import {
  area,
  type Box,
  clip,
  EMPTY,
  type Matrix,
  multiply,
  pathExtent,
  readMatrix,
  scaleOf,
  transform,
  union,
} from './svg-geometry.ts';

/**
 * The cost of drawing a picture, in nanoseconds of a typical core, as a function of its scale. It has a fixed part, one per unit
 * of length, and one per unit of area.
 */
export interface Cost {
  fixed: number;
  length: number;
  area: number;
}

/**
 * Measured on resvg 2.6 in WebAssembly: cost per pixel that is filled, blended, shaded, composed as a layer,
 * filtered, or taken from an image.
 */
const [SOLID, BLENDED, SHADED, LAYER, FILTER, IMAGE] = [1, 16, 35, 80, 700, 350];
const URL_START = 'url(#';
const ELEMENT_NS = 3_000;
const EDGE_NS = 60;
const DASH_NS = 1_600;
const DASHES_MAX = 1_000_000;

interface Level {
  matrix: Matrix;
  box: Box;
  /** Cost of the layers that this element needs, in nanoseconds per pixel. */
  layer: number;
  cost: Cost;
  refers: string[];
  /** Id of a definition, which is drawn only where it is referenced. */
  id: string | undefined;
  /** In a definition, coordinates do not determine the size on the canvas. */
  isDefined: boolean;
}

interface Definition {
  cost: Cost;
  refers: string[];
}

const nothing = (): Cost => ({ fixed: 0, length: 0, area: 0 });

function add(to: Cost, more: Cost): void {
  to.fixed += more.fixed;
  to.length += more.length;
  to.area += more.area;
}

/**
 * The cost of drawing a picture that resvg itself wrote: absolute paths of lines and curves, no style sheet, every
 * `use` expanded. `width` and `height` are its size in CSS pixels. Infinity if definitions refer to each other in a
 * cycle.
 */
export function drawingCost(normalized: string, width: number, height: number, part: string): Cost {
  const reader = new CostReader(width, height);
  const scan = { open: (tag: OpenTag) => reader.enter(tag), close: () => reader.leave() };
  scanXml(normalized, [{ '*': scan }], { budget: new Budget(), part });
  return reader.total();
}

class CostReader {
  readonly #canvas: Box;
  readonly #open: Level[] = [];
  readonly #definitions = new Map<string, Definition>();
  #all: Definition = { cost: nothing(), refers: [] };

  constructor(width: number, height: number) {
    this.#canvas = { left: 0, top: 0, right: width, bottom: height };
  }

  enter(tag: OpenTag): void {
    const outer = this.#open.at(-1);
    const isDefined = outer?.isDefined === true || tag.name === 'svg:defs';
    const matrix =
      outer === undefined
        ? this.#viewBox(tag)
        : multiply(outer.matrix, readMatrix(tag.attribute('transform')));
    const level: Level = {
      matrix,
      box: EMPTY,
      layer: layerCost(tag),
      cost: { fixed: ELEMENT_NS, length: 0, area: 0 },
      refers: references(tag),
      id: isDefined ? tag.attribute('id') : undefined,
      isDefined,
    };
    if (tag.name === 'svg:path') this.#path(tag, level);
    if (tag.name === 'svg:image') {
      level.box = this.#canvas;
      level.cost.area += IMAGE * area(this.#canvas);
    }
    if (tag.name.startsWith('svg:fe')) level.cost.area += FILTER * area(this.#canvas);
    this.#open.push(level);
  }

  leave(): void {
    const level = this.#open.pop();
    if (level === undefined) return;
    level.cost.area += level.layer * area(clip(level.box, this.#canvas));
    const outer = this.#open.at(-1);
    if (outer === undefined) this.#all = level;
    else if (level.id !== undefined) this.#definitions.set(level.id, level);
    else {
      add(outer.cost, level.cost);
      for (const id of level.refers) outer.refers.push(id);
      outer.box = union(outer.box, level.box);
    }
  }

  /** The transformation from the units of the root's `viewBox` to those of its size. */
  #viewBox(root: OpenTag): Matrix {
    const [left = 0, top = 0, width = 1, height = 1] = (root.attribute('viewBox') ?? '')
      .split(' ')
      .map(Number);
    const scale = Math.max(this.#canvas.right / width, this.#canvas.bottom / height);
    return [scale, 0, 0, scale, -left * scale, -top * scale];
  }

  #path(tag: OpenTag, level: Level): void {
    const { box, length } = pathExtent(tag.attribute('d') ?? '');
    const scale = scaleOf(level.matrix);
    const strokeNs = paintCost(tag, 'stroke');
    const strokeWidth = strokeNs === 0 ? 0 : Number(tag.attribute('stroke-width') ?? 1);
    level.box = level.isDefined ? this.#canvas : transform(box, level.matrix, strokeWidth);
    const covered = area(clip(level.box, this.#canvas));
    const segments = (tag.attribute('d') ?? '').length / 4;
    const { right, bottom } = this.#canvas;
    const seenLength = Math.min(length * scale, segments * (right + bottom));
    level.cost.length += seenLength * EDGE_NS * (strokeNs === 0 ? 1 : 3);
    level.cost.area += covered * paintCost(tag, 'fill');
    level.cost.area += Math.min(covered, seenLength * strokeWidth * scale) * strokeNs;
    const dashes = (tag.attribute('stroke-dasharray') ?? '').split(/[\s,]+/).map(Number);
    const period = dashes.reduce((sum, dash) => sum + dash, 0);
    if (period > 0) level.cost.fixed += DASH_NS * Math.min(length / period, DASHES_MAX);
  }

  total(): Cost {
    const known = new Map<string, Cost>();
    const costOf = ({ cost, refers }: Definition): Cost => {
      const sum = { ...cost };
      for (const id of refers) add(sum, costOfId(id));
      return sum;
    };
    const costOfId = (id: string): Cost => {
      const definition = this.#definitions.get(id);
      const seen = known.get(id);
      if (seen !== undefined || definition === undefined) return seen ?? nothing();
      known.set(id, { fixed: Infinity, length: 0, area: 0 });
      const cost = costOf(definition);
      known.set(id, cost);
      return cost;
    };
    return costOf(this.#all);
  }
}

/** Nanoseconds per pixel of a fill or a stroke. */
function paintCost(tag: OpenTag, property: 'fill' | 'stroke'): number {
  const paint = tag.attribute(property) ?? (property === 'fill' ? '#000000' : 'none');
  if (paint === 'none' || tag.attribute('visibility') === 'hidden') return 0;
  if (paint.startsWith('url(')) return SHADED;
  return tag.attribute(`${property}-opacity`) === undefined ? SOLID : BLENDED;
}

/** Nanoseconds per pixel for drawing an element separately and composing it with the rest. */
function layerCost(tag: OpenTag): number {
  if (tag.name.startsWith('svg:fe') || tag.name === 'svg:path') return 0;
  const style = tag.attribute('style') ?? '';
  const layers = ['opacity', 'mask', 'clip-path', 'filter'].filter(
    (name) => tag.attribute(name) !== undefined,
  ).length;
  const isBlended = style.includes('mix-blend-mode') || style.includes('isolation');
  return LAYER * (layers + Number(isBlended));
}

function references(tag: OpenTag): string[] {
  const found: string[] = [];
  for (const { value } of tag.attributes)
    for (let at = value.indexOf(URL_START); at !== -1; ) {
      const end = value.indexOf(')', at);
      if (end === -1) break;
      found.push(value.slice(at + URL_START.length, end));
      at = value.indexOf(URL_START, end);
    }
  return found;
}
