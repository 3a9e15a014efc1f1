import { dimensions, xmlText } from '@scriptorium/docx-template/fields';
import type { Picture } from '@scriptorium/images/picture';
import { z } from 'zod';
import type { BarcodeType } from './draw-barcode.ts';
import { shownPicture } from './image.ts';
import { invalidValue, valueKind } from './value-kind.ts';

/** More digits fit into no QR code (ISO/IEC 18004). */
const VALUE_CHARS_MAX = 7_089;
const ALT_CHARS_MAX = 500;

interface Symbology {
  /** CSS pixels to a drawing unit, for the usual printed size. */
  pixels: number;
  /** About how long the smallest one takes, and what each byte adds. */
  ms: number;
  msByByte: number;
  allowed: RegExp;
  issue: string;
}

const SYMBOLOGIES = {
  qr: {
    pixels: 0.5,
    ms: 0.7,
    msByByte: 0.005,
    allowed: /^[\s\S]+$/,
    issue: 'must be a text that is not empty',
  },
  code128: {
    pixels: 0.5,
    ms: 0.6,
    msByByte: 0.01,
    allowed: /^[ -~]{1,80}$/,
    issue: 'must have 1 to 80 characters of ASCII',
  },
  ean13: {
    pixels: 2 / 3,
    ms: 10,
    msByByte: 0,
    allowed: /^\d{12,13}$/,
    issue: 'must have 12 digits, or 13 with a correct check digit',
  },
  datamatrix: {
    pixels: 0.5,
    ms: 1,
    msByByte: 0.025,
    allowed: /^[ -~\u00a0-\u00ff]+$/,
    issue: 'must be a text of characters of Latin-1',
  },
} satisfies Record<BarcodeType, Symbology>;

const TYPES = Object.keys(SYMBOLOGIES) as [BarcodeType, ...BarcodeType[]];

/** `{"$barcode": {type, value, width?, height?}}`: vectors, and a picture for readers that show none. */
export const barcodeKind = valueKind({
  key: '$barcode',
  requested: z
    .strictObject(
      {
        type: z.enum(TYPES, `must be one of ${TYPES.join(', ')}`),
        value: xmlText.refine(({ length }) => length <= VALUE_CHARS_MAX, {
          error: `may have at most ${VALUE_CHARS_MAX} characters`,
        }),
        ...dimensions.shape,
      },
      'must be an object with a `type` and a `value`',
    )
    .superRefine(({ type, value }, context) => {
      const { allowed, issue } = SYMBOLOGIES[type];
      if (!allowed.test(value) || (type === 'ean13' && !hasCheckDigit(value)))
        context.addIssue({ code: 'custom', path: ['value'], message: issue });
    }),
  render({ type, value, ...size }, spot, context, path) {
    const key = `barcode ${type} ${value}`;
    const { pixels, ms, msByByte } = SYMBOLOGIES[type];
    const cost = ms + msByByte * Buffer.byteLength(value);
    const drawn = context.resources.barcode(key, cost, () => draw(type, value, path), path);
    if (drawn === undefined) return undefined;
    const natural = { width: drawn.size.width * pixels, height: drawn.size.height * pixels };
    const looks = { ...size, alt: value.slice(0, ALT_CHARS_MAX), path };
    return shownPicture({ ...drawn, size: natural }, looks, spot, context);
  },
});

/** GS1 General Specifications §7.9. Twelve digits have none yet. */
function hasCheckDigit(digits: string): boolean {
  let sum = 0;
  for (let at = 0; at < digits.length; at++) sum += Number(digits[at]) * (at % 2 === 0 ? 1 : 3);
  return digits.length === 12 || sum % 10 === 0;
}

/** Rejects with TemplateError VALIDATION_ERROR. */
async function draw(type: BarcodeType, text: string, path: string): Promise<Picture> {
  try {
    const { drawBarcode } = await import('./draw-barcode.ts');
    return await drawBarcode(type, text);
  } catch (error) {
    if (!(error instanceof Error) || !/^bwipp\.|^Capacity overflow$/.test(error.message)) throw error;
    throw invalidValue(`${path}.value`, 'does not fit into a barcode of this type');
  }
}
