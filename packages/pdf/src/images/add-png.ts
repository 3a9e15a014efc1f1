import { deflateSync } from 'node:zlib';
import { type CheckedPng, splitAlpha, unfilteredRows } from '@scriptorium/images/png';
import type { Ref } from '../read/values.ts';
import { literal } from '../write/literal.ts';
import type { ObjectSink } from '../write/update.ts';

const RGB = 2;
const PALETTE = 3;
const GREY_ALPHA = 4;
const RGB_ALPHA = 6;

const imageKeys = ({ width, height }: CheckedPng, bits: number, colorSpace: string): string =>
  `/Type/XObject/Subtype/Image/Width ${width}/Height ${height}/BitsPerComponent ${bits}` +
  `/ColorSpace${colorSpace}/Filter/FlateDecode`;

/** Adds the compressed data unchanged: PDF supports the filters of PNG (ISO 32000-2, 7.4.4.4). */
function addAsItIs(sink: ObjectSink, png: CheckedPng): Ref {
  const { bitDepth, colorType, palette, packed, width } = png;
  const indexed = palette && `[/Indexed/DeviceRGB ${palette.length / 3 - 1}<${palette.toString('hex')}>]`;
  const space = colorType === PALETTE ? indexed : colorType === RGB ? '/DeviceRGB' : '/DeviceGray';
  if (!space) throw new Error('the palette is missing');
  const predictor = `/Predictor 15/Colors ${colorType === RGB ? 3 : 1}/BitsPerComponent ${bitDepth}/Columns ${width}`;
  return sink.add(literal.stream(`${imageKeys(png, bitDepth, space)}/DecodeParms<<${predictor}>>`, packed));
}

function addWithAlpha(sink: ObjectSink, png: CheckedPng): Ref {
  const pixel = png.colorType === RGB_ALPHA ? 4 : 2;
  const { colors, alpha } = splitAlpha(unfilteredRows(png.rows, png.width, png.height, pixel), pixel);
  const mask = sink.add(literal.stream(imageKeys(png, 8, '/DeviceGray'), deflateSync(alpha)));
  const space = pixel === 4 ? '/DeviceRGB' : '/DeviceGray';
  return sink.add(literal.stream(`${imageKeys(png, 8, space)}/SMask ${mask}`, deflateSync(colors)));
}

/** Adds a PNG of a common color type; returns undefined for the others. Throws an Error if it is damaged. */
export function addUsualPng(sink: ObjectSink, png: CheckedPng): Ref | undefined {
  const hasAlpha = png.colorType === GREY_ALPHA || png.colorType === RGB_ALPHA;
  if (png.isInterlaced || png.hasTransparentColors) return undefined;
  if (!hasAlpha) return addAsItIs(sink, png);
  return png.bitDepth === 8 ? addWithAlpha(sink, png) : undefined;
}
