import type { Json } from './expression.ts';

/** A value with its place in the data: `data.items[3]`. */
export interface Bound {
  value: Json | undefined;
  path: string;
}
