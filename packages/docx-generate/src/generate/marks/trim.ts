import { type Tag, TagError } from '../dialects/dialect.ts';

/** Offsets of a mark in its text. */
export interface Extent {
  start: number;
  end: number;
}

const UNIT = /^-?(?:tr|tc|p|r)\s/;

/**
 * The extent of a mark of Jinja, with the white space that `{%-` and `-%}` remove. The mark before it ends at `limit`.
 * Throws TagError if that removes the
 * end of a paragraph: docxtpl joins the two paragraphs.
 */
export function trimmedExtent(
  text: string,
  { start, end }: Extent,
  { form, inner }: Tag,
  limit: number,
): Extent {
  if (form === 'comment' || UNIT.test(inner)) return { start, end };
  let [from, to] = [start, end];
  if (inner.startsWith('-')) {
    while (from > limit && isSpace(text[from - 1])) from--;
    if (from === 0) throw joins('{%-', 'start');
  }
  if (inner.length > 1 && inner.endsWith('-')) {
    while (to < text.length && isSpace(text[to])) to++;
    if (to === text.length) throw joins('-%}', 'end');
  }
  return { start: from, end: to };
}

function isSpace(character = ''): boolean {
  return /\s/.test(character);
}

function joins(sign: string, side: string): TagError {
  return new TagError(
    `“${sign}” at the ${side} of a paragraph joins two paragraphs, which is not supported; remove the “-”`,
  );
}
