import type { Box } from '../read/pages.ts';

/** The six operands of `cm` (ISO 32000-2, 8.3.4). */
export type Matrix = readonly [number, number, number, number, number, number];

export const IDENTITY: Matrix = [1, 0, 0, 1, 0, 0];

/** Applies first `a`, then `b`. */
export function times(a: Matrix, b: Matrix): Matrix {
  return [
    a[0] * b[0] + a[1] * b[2],
    a[0] * b[1] + a[1] * b[3],
    a[2] * b[0] + a[3] * b[2],
    a[2] * b[1] + a[3] * b[3],
    a[4] * b[0] + a[5] * b[2] + b[4],
    a[4] * b[1] + a[5] * b[3] + b[5],
  ];
}

/** The bounding box of a transformed box. */
export function transformed([left, bottom, right, top]: Box, m: Matrix): Box {
  const corners = [
    [left, bottom],
    [right, bottom],
    [left, top],
    [right, top],
  ] as const;
  const x = corners.map(([a, b]) => a * m[0] + b * m[2] + m[4]);
  const y = corners.map(([a, b]) => a * m[1] + b * m[3] + m[5]);
  return [Math.min(...x), Math.min(...y), Math.max(...x), Math.max(...y)];
}

/** The length of a transformed vertical unit vector. */
export const heightOf = (m: Matrix): number => Math.hypot(m[2], m[3]);
