import type { Tag } from '../dialects/dialect.ts';

/** Offsets of a mark in its text. */
export interface Extent {
  start: number;
  end: number;
}

const UNIT = /^-?(?:tr|tc|p|r)\s/;

/**
 * The extent of a mark with the white space that `{%-` and `-%}` of Jinja remove, and `{{~` and `~}}` of Handlebars. The
 * mark before it ends at `limit`.
 */
export function trimmedExtent(
  text: string,
  { start, end }: Extent,
  { form, inner }: Tag,
  { limit, sign }: { limit: number; sign: '-' | '~' },
): Extent {
  if (form === 'comment' || UNIT.test(inner)) return { start, end };
  let [from, to] = [start, end];
  if (inner.startsWith(sign)) while (from > limit && isSpace(text[from - 1])) from--;
  if (inner.length > 1 && inner.endsWith(sign)) while (to < text.length && isSpace(text[to])) to++;
  return { start: from, end: to };
}

/** docxtpl keeps spaces that do not break. */
function isSpace(character = ''): boolean {
  return /[^\S\u00a0]/.test(character);
}
