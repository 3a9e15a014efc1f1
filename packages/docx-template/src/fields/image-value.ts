import { z } from 'zod';
import { wrongKind } from './field-options.ts';

const count = z.number().int().nonnegative();

/** An image reference in a request. It is checked when it is loaded; JSON Schema only constrains its start. */
export const imageValue = z
  .string(wrongKind('must be a string: a data URI or an http(s) address'))
  .meta({
    pattern: '^($|[dD][aA][tT][aA]:[iI][mM][aA][gG][eE]/[^,]*;[bB][aA][sS][eE]64,|[hH][tT][tT][pP][sS]?://)',
    examples: ['data:image/png;base64,iVBORw0KGgo='],
  })
  .nullable()
  .transform((value) => value ?? '')
  .describe(
    'A data URI `data:image/<format>;base64,…` or a public http(s) address. An empty text and null empty the field',
  );

/** A loaded image: its place in the bytes of all images of a request. */
export const imagePlace = z.object({ start: count, bytes: count });
export type ImagePlace = z.infer<typeof imagePlace>;
/** Null for an empty value. */
export const loadedImage = imagePlace.nullable();
