/** The predictor of PNG filter type 4 (3rd edition, 9.4). */
function paeth(left: number, up: number, corner: number): number {
  const estimate = left + up - corner;
  const byLeft = Math.abs(estimate - left);
  const byUp = Math.abs(estimate - up);
  const byCorner = Math.abs(estimate - corner);
  if (byLeft <= byUp && byLeft <= byCorner) return left;
  return byUp <= byCorner ? up : corner;
}

/** Undoes the filter of a row of `out`, in place. `before` is the offset of the row above, or -1. */
function undoFilter(
  filter: number,
  out: Buffer,
  start: number,
  before: number,
  length: number,
  pixel: number,
): void {
  if (filter === 0) return;
  if (filter > 4) throw new Error('a row has an unknown filter');
  for (let at = 0; at < length; at++) {
    const left = at >= pixel ? (out[start + at - pixel] ?? 0) : 0;
    const up = before >= 0 ? (out[before + at] ?? 0) : 0;
    const corner = before >= 0 && at >= pixel ? (out[before + at - pixel] ?? 0) : 0;
    let prediction = left;
    if (filter === 2) prediction = up;
    else if (filter === 3) prediction = (left + up) >> 1;
    else if (filter === 4) prediction = paeth(left, up, corner);
    out[start + at] = (out[start + at] ?? 0) + prediction;
  }
}

/** Unfiltered pixels of `pixel` bytes each, from rows that each begin with a filter byte. Throws an Error. */
export function unfilteredRows(rows: Buffer, width: number, height: number, pixel: number): Buffer {
  const length = width * pixel;
  const out = Buffer.allocUnsafe(length * height);
  for (let row = 0; row < height; row++) {
    const from = row * (length + 1);
    const start = row * length;
    rows.copy(out, start, from + 1, from + 1 + length);
    undoFilter(rows[from] ?? 0, out, start, row === 0 ? -1 : start - length, length, pixel);
  }
  return out;
}

/** Separates colors and alpha of pixels with 8-bit samples, of which the last is alpha. */
export function splitAlpha(pixels: Buffer, pixel: number): { colors: Buffer; alpha: Buffer } {
  const count = pixels.length / pixel;
  const colors = Buffer.allocUnsafe(count * (pixel - 1));
  const alpha = Buffer.allocUnsafe(count);
  let to = 0;
  for (let index = 0; index < count; index++) {
    const from = index * pixel;
    for (let sample = 0; sample < pixel - 1; sample++) colors[to++] = pixels[from + sample] ?? 0;
    alpha[index] = pixels[from + pixel - 1] ?? 0;
  }
  return { colors, alpha };
}
