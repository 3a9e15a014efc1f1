/** `a b c d e f` of an SVG `matrix()`. */
export type Matrix = readonly [number, number, number, number, number, number];

export interface Box {
  left: number;
  top: number;
  right: number;
  bottom: number;
}

const IDENTITY: Matrix = [1, 0, 0, 1, 0, 0];
export const EMPTY: Box = { left: Infinity, top: Infinity, right: -Infinity, bottom: -Infinity };

export function area({ left, top, right, bottom }: Box): number {
  return right > left && bottom > top ? (right - left) * (bottom - top) : 0;
}

export function clip(a: Box, b: Box): Box {
  return {
    left: Math.max(a.left, b.left),
    top: Math.max(a.top, b.top),
    right: Math.min(a.right, b.right),
    bottom: Math.min(a.bottom, b.bottom),
  };
}

export function union(a: Box, b: Box): Box {
  return {
    left: Math.min(a.left, b.left),
    top: Math.min(a.top, b.top),
    right: Math.max(a.right, b.right),
    bottom: Math.max(a.bottom, b.bottom),
  };
}

export function multiply(m: Matrix, n: Matrix): Matrix {
  if (n === IDENTITY) return m;
  return [
    m[0] * n[0] + m[2] * n[1],
    m[1] * n[0] + m[3] * n[1],
    m[0] * n[2] + m[2] * n[3],
    m[1] * n[2] + m[3] * n[3],
    m[0] * n[4] + m[2] * n[5] + m[4],
    m[1] * n[4] + m[3] * n[5] + m[5],
  ];
}

/** Reads a `transform` that contains one matrix, which is how resvg writes it. */
export function readMatrix(written: string | undefined): Matrix {
  const [a, b, c, d, e, f] = (written ?? '').match(/-?[\d.]+(?:e[+-]?\d+)?/gi)?.map(Number) ?? [];
  if (a === undefined || b === undefined || c === undefined) return IDENTITY;
  return d === undefined || e === undefined || f === undefined ? IDENTITY : [a, b, c, d, e, f];
}

/** The largest factor by which a line can grow. */
export function scaleOf([a, b, c, d]: Matrix): number {
  return Math.max(Math.hypot(a, b), Math.hypot(c, d));
}

/** The bounding box of a transformed box with its stroke. */
export function transform({ left, top, right, bottom }: Box, matrix: Matrix, strokeWidth: number): Box {
  const [a, b, c, d, e, f] = matrix;
  const margin = strokeWidth * scaleOf(matrix);
  let box = EMPTY;
  for (const x of [left, right])
    for (const y of [top, bottom]) {
      const [across, down] = [a * x + c * y + e, b * x + d * y + f];
      box = union(box, {
        left: across - margin,
        top: down - margin,
        right: across + margin,
        bottom: down + margin,
      });
    }
  return box;
}

/** The box and the length, control points included, of path data with absolute coordinates only. */
export function pathExtent(data: string): { box: Box; length: number } {
  const box = { ...EMPTY };
  let length = 0;
  let x: number | undefined;
  let last: { x: number; y: number } | undefined;
  for (const token of data.split(' ')) {
    const value = Number(token);
    if (token === '' || Number.isNaN(value)) continue;
    if (x === undefined) {
      x = value;
      continue;
    }
    box.left = Math.min(box.left, x);
    box.right = Math.max(box.right, x);
    box.top = Math.min(box.top, value);
    box.bottom = Math.max(box.bottom, value);
    if (last !== undefined) length += Math.hypot(x - last.x, value - last.y);
    last = { x, y: value };
    x = undefined;
  }
  return { box, length };
}
