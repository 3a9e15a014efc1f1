import { dimensions, xmlText } from '@scriptorium/docx-template/fields';
import type { Picture } from '@scriptorium/images/picture';
import { z } from 'zod';
import { shownPicture } from './image.ts';
import { invalidValue, valueKind } from './value-kind.ts';

/** More digits fit into no QR code (ISO/IEC 18004). */
const VALUE_CHARS_MAX = 7_089;
const ALT_CHARS_MAX = 500;
/** Drawing units in a module of a bar code. A module of a matrix code has twice as many. */
const SCALE = 2;
/** Modules of the light zone around a QR code (ISO/IEC 18004 §6.3.8), a Data Matrix and beside a Code 128. */
const [QR_ZONE, MATRIX_ZONE, BARS_ZONE] = [4, 1, 10];
/** An inch, in drawing units. */
const BARS_HEIGHT = 145;

/** Loaded when a document needs it, as are the libraries: a gateway only validates values. */
const drawing = () => import('./module-picture.ts');

interface Symbology {
  /** CSS pixels to a drawing unit, for the usual printed size. */
  pixels: number;
  /** About how long the smallest one takes, and what each byte adds. */
  ms: number;
  msByByte: number;
  allowed: RegExp;
  issue: string;
  draw(text: string): Promise<Picture>;
}

const SYMBOLOGIES = {
  qr: {
    pixels: 0.5,
    ms: 0.7,
    msByByte: 0.005,
    allowed: /^[\s\S]+$/,
    issue: 'must be a text that is not empty',
    async draw(text) {
      // A tenth of the time that bwip-js takes.
      const [{ pictureOfModules }, { default: encodeQR }] = await Promise.all([drawing(), import('qr')]);
      return pictureOfModules(encodeQR(text, 'raw', { ecc: 'medium', border: QR_ZONE }), 2 * SCALE);
    },
  },
  code128: {
    pixels: 0.5,
    ms: 0.6,
    msByByte: 0.01,
    allowed: /^[ -~]{1,80}$/,
    issue: 'must have 1 to 80 characters of ASCII',
    async draw(text) {
      const [{ pictureOfModules }, { default: bwip }] = await Promise.all([
        drawing(),
        import('bwip-js/node'),
      ]);
      const [{ sbs } = { sbs: [] }] = bwip.raw({ bcid: 'code128', text }) as { sbs: number[] }[];
      const widths = [BARS_ZONE, ...sbs, BARS_ZONE];
      const row = widths.flatMap((width, at) => Array<boolean>(width).fill(at % 2 === 1));
      return pictureOfModules([row], SCALE, BARS_HEIGHT);
    },
  },
  ean13: {
    pixels: 2 / 3,
    ms: 10,
    msByByte: 0,
    allowed: /^\d{12,13}$/,
    issue: 'must have 12 digits, or 13 with a correct check digit',
    async draw(text) {
      const [{ readPicture }, { toSVG }] = await Promise.all([
        import('@scriptorium/images/picture'),
        import('bwip-js/node'),
      ]);
      const looks = { scale: SCALE, backgroundcolor: 'FFFFFF', paddingright: 7, includetext: true };
      return readPicture(Buffer.from(toSVG({ bcid: 'ean13', text, ...looks })));
    },
  },
  datamatrix: {
    pixels: 0.5,
    ms: 1,
    msByByte: 0.025,
    allowed: /^[ -~\u00a0-\u00ff]+$/,
    issue: 'must be a text of characters of Latin-1',
    async draw(text) {
      const [{ pictureOfModules }, { default: bwip }] = await Promise.all([
        drawing(),
        import('bwip-js/node'),
      ]);
      // Readers take the bytes for Latin-1 (ISO/IEC 16022).
      const [matrix] = bwip.raw({ bcid: 'datamatrix', text, binarytext: true }) as {
        pixs: number[];
        pixx: number;
      }[];
      const { pixs, pixx } = matrix ?? { pixs: [], pixx: 1 };
      const isDark = (x: number, y: number) => x >= 0 && x < pixx && pixs[y * pixx + x] === 1;
      const rows = Array.from({ length: pixs.length / pixx + 2 * MATRIX_ZONE }, (_, y) =>
        Array.from({ length: pixx + 2 * MATRIX_ZONE }, (_, x) => isDark(x - MATRIX_ZONE, y - MATRIX_ZONE)),
      );
      return pictureOfModules(rows, 2 * SCALE);
    },
  },
} satisfies Record<string, Symbology>;

type BarcodeType = keyof typeof SYMBOLOGIES;
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
    return await SYMBOLOGIES[type].draw(text);
  } catch (error) {
    if (!(error instanceof Error) || !/^bwipp\.|^Capacity overflow$/.test(error.message)) throw error;
    throw invalidValue(`${path}.value`, 'does not fit into a barcode of this type');
  }
}
