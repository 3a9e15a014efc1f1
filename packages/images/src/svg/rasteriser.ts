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
/** A picture that would be smaller than this, for it takes so long to draw, is not worth it. */
const PIXELS_MIN = 10_000;
const DRAWING_NS_MAX = 200_000_000;
const SVG_BYTES_MAX = 4 * 1024 * 1024;

let font: Uint8Array | undefined;
let ready: Promise<void> | undefined;

async function start(): Promise<void> {
  const path = fileURLToPath(import.meta.resolve('@resvg/resvg-wasm/index_bg.wasm'));
  await initWasm(await readFile(path));
}

/** Sets the font that texts are drawn in, whatever they ask for; without one they do not show. */
export function setTextFont(file: Uint8Array | undefined): void {
  font = file;
}

/** Loads the rasteriser, once in a thread; the first picture does it too. */
async function prepareRasteriser(): Promise<void> {
  ready ??= start();
  await ready;
}

export interface Drawing {
  png: Buffer;
  /** Of the picture in CSS pixels. */
  width: number;
  height: number;
  /** True where the picture has text and there is no font for it. */
  isTextMissing: boolean;
}

/**
 * Draws an SVG picture as a PNG, twice its size in CSS pixels where that is at most 4 megapixels.
 *
 * resvg runs in WebAssembly, without files and network; what it may cost is known before it draws. Throws SvgRefusal,
 * XmlError, or OoxmlError where a bound of `scanXml` is passed.
 */
export async function rasterise(svg: Buffer, part: string): Promise<Drawing> {
  if (svg.length > SVG_BYTES_MAX) throw new SvgRefusal(`it has more than ${SVG_BYTES_MAX} bytes`);
  const { xml } = decodeXml(svg);
  const { hasText } = checkReferences(xml, part);
  await prepareRasteriser();
  const { scale, ...size } = using(open(xml, 1), (picture) => ({
    scale: affordableScale(picture, part),
    width: picture.width,
    height: picture.height,
  }));
  const png = using(open(xml, scale), draw);
  return { png, ...size, isTextMissing: hasText && font === undefined };
}

type Picture = InstanceType<typeof Resvg>;

/** A picture at a scale. */
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
 * Frees what lies in WebAssembly's memory, which is not collected. A fault in there is one of this picture, and what it
 * left is not touched again.
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
