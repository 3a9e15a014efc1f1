import { type Picture, readPicture } from '@scriptorium/images/picture';
import bwip, { toSVG } from 'bwip-js/node';
import encodeQR from 'qr';
import { pictureOfModules } from './module-picture.ts';

/** Drawing units in a module of a bar code. A module of a matrix code has twice as many. */
const SCALE = 2;
/** Modules of the light zone around a QR code (ISO/IEC 18004 §6.3.8), a Data Matrix and beside a Code 128. */
const [QR_ZONE, MATRIX_ZONE, BARS_ZONE] = [4, 1, 10];
/** An inch, in drawing units. */
const BARS_HEIGHT = 145;

/** In its own file, since a gateway validates values and never draws: this loads the libraries. */
const DRAWERS = { qr, code128, ean13, datamatrix };

export type BarcodeType = keyof typeof DRAWERS;

/** Draws a text that its type allows. Rejects with the error of a library if it does not fit. */
export async function drawBarcode(type: BarcodeType, text: string): Promise<Picture> {
  return await DRAWERS[type](text);
}

/** bwip-js would take ten times as long. */
function qr(text: string): Picture {
  return pictureOfModules(encodeQR(text, 'raw', { ecc: 'medium', border: QR_ZONE }), 2 * SCALE);
}

function code128(text: string): Picture {
  const [{ sbs } = { sbs: [] }] = bwip.raw({ bcid: 'code128', text }) as { sbs: number[] }[];
  const widths = [BARS_ZONE, ...sbs, BARS_ZONE];
  const row = widths.flatMap((width, at) => Array<boolean>(width).fill(at % 2 === 1));
  return pictureOfModules([row], SCALE, BARS_HEIGHT);
}

/** It has a text below its bars. */
function ean13(text: string): Promise<Picture> {
  const looks = { scale: SCALE, backgroundcolor: 'FFFFFF', paddingright: 7, includetext: true };
  return readPicture(Buffer.from(toSVG({ bcid: 'ean13', text, ...looks })));
}

/** Readers take the bytes for Latin-1 (ISO/IEC 16022). */
function datamatrix(text: string): Picture {
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
}
