import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { initWasm, Resvg } from '@resvg/resvg-wasm';
import { OoxmlError } from '@scriptorium/ooxml/error';
import { decodeXml, XmlError } from '@scriptorium/ooxml/xml';
import { drawingCost } from './svg-cost.ts';
import { checkReferences } from './svg-references.ts';
import { SvgRefusal } from './svg-style.ts';

const PIXELS_MAX = 4_000_000;
const SCALE = 2;
/** A picture that must be scaled below this size, because it takes too long to draw, is refused. */
const PIXELS_MIN = 10_000;
const DRAWING_NS_MAX = 200_000_000;
const SVG_BYTES_MAX = 4 * 1024 * 1024;

let font: Uint8Array | undefined;
let ready: Promise<void> | undefined;

async function start(): Promise<void> {
  const path = fileURLToPath(import.meta.resolve('@resvg/resvg-wasm/index_bg.wasm'));
  await initWasm(await readFile(path));
}

/** Sets the font for all texts, whatever font they request. Without one, texts are not drawn. */
export function setTextFont(file: Uint8Array | undefined): void {
  font = file;
}

/** Loads the rasterizer once per thread. */
async function prepareRasterizer(): Promise<void> {
  ready ??= start();
  await ready;
}

export interface Drawing {
  png: Buffer;
  /** Size of the picture in CSS pixels. */
  width: number;
  height: number;
  /** True if the picture has text and no font was set. */
  isTextMissing: boolean;
}

/**
 * Draws an SVG picture as a PNG, at twice its size in CSS pixels if that is at most 4 megapixels.
 *
 * resvg runs in WebAssembly, without files and network. The cost is estimated before drawing. Throws SvgRefusal,
 * XmlError, or OoxmlError if a bound of `scanXml` is exceeded.
 */
export async function rasterize(svg: Buffer, part: string): Promise<Drawing> {
  if (svg.length > SVG_BYTES_MAX) throw new SvgRefusal(`it has more than ${SVG_BYTES_MAX} bytes`);
  const { xml } = decodeXml(svg);
  const { hasText } = checkReferences(xml, part);
  await prepareRasterizer();
  const { scale, ...size } = using(open(xml, 1), (picture) => ({
    scale: affordableScale(picture, part),
    width: picture.width,
    height: picture.height,
  }));
  const png = using(open(xml, scale), draw);
  return { png, ...size, isTextMissing: hasText && font === undefined };
}

/** Elements that readers draw alike. */
const PLAIN = /^(?:svg|g|defs|path|linearGradient|radialGradient|stop|clipPath)$/;

export interface SimpleSvg {
  svg: Buffer;
  /** True if the picture has text and no font was set. */
  isTextMissing: boolean;
}

/**
 * Rewrites an SVG picture as paths, groups and gradients, without styles, text and references to anything outside.
 * Undefined if it has more, such as filters and images: readers differ on those. Throws as `rasterize` does.
 */
export async function simplify(svg: Buffer, part: string): Promise<SimpleSvg | undefined> {
  if (svg.length > SVG_BYTES_MAX) throw new SvgRefusal(`it has more than ${SVG_BYTES_MAX} bytes`);
  const { xml } = decodeXml(svg);
  const { hasText } = checkReferences(xml, part);
  await prepareRasterizer();
  const simple = using(open(xml, 1), (picture) => {
    affordableScale(picture, part);
    return picture.toString();
  });
  const isPlain = [...simple.matchAll(/<([A-Za-z][\w:]*)/g)].every(([, name = '']) => PLAIN.test(name));
  return isPlain ? { svg: Buffer.from(simple), isTextMissing: hasText && font === undefined } : undefined;
}

type Picture = InstanceType<typeof Resvg>;

function open(xml: string, scale: number): Picture {
  try {
    return new Resvg(xml, {
      fitTo: { mode: 'zoom', value: scale },
      font: { fontBuffers: font === undefined ? [] : [font] },
    });
  } catch (cause) {
    throw new SvgRefusal('it cannot be read', { cause });
  }
}

/**
 * Frees memory of WebAssembly, which is not garbage-collected. After a fault the resource is not touched again: the
 * fault is treated as one of this picture.
 */
function using<T extends { free(): void }, R>(resource: T, use: (resource: T) => R): R {
  let isSound = true;
  try {
    return use(resource);
  } catch (cause) {
    if (cause instanceof SvgRefusal || cause instanceof XmlError || cause instanceof OoxmlError) throw cause;
    isSound = false;
    throw new SvgRefusal('it cannot be drawn', { cause });
  } finally {
    if (isSound) resource.free();
  }
}

function draw(picture: Picture): Buffer {
  return using(picture.render(), (image) => Buffer.from(image.asPng()));
}

/** The largest scale at which drawing the picture stays within all bounds. */
function affordableScale(picture: Picture, part: string): number {
  const pixels = picture.width * picture.height;
  const cost = drawingCost(picture.toString(), picture.width, picture.height, part);
  const nanoseconds = (scale: number) => cost.fixed + cost.length * scale + cost.area * scale ** 2;
  let scale = Math.min(SCALE, Math.sqrt(PIXELS_MAX / pixels));
  while (nanoseconds(scale) > DRAWING_NS_MAX || Number.isNaN(nanoseconds(scale))) {
    scale /= Math.SQRT2;
    if (pixels * scale ** 2 < Math.min(pixels, PIXELS_MIN)) throw new SvgRefusal('it takes too long to draw');
  }
  return scale;
}
