import {
  type Dimensions,
  dimensions,
  imageValue,
  loadedImage,
  xmlText,
} from '@scriptorium/docx-template/fields';
import { plainPicture, proportionsOf, roomAt, sizing } from '@scriptorium/docx-template/pictures';
import type { Picture } from '@scriptorium/images/picture';
import { z } from 'zod';
import { type RenderContext, type Replacement, type ValueSpot, valueKind } from './value-kind.ts';

const looks = { ...dimensions.shape, alt: xmlText.nullish() };
const IMAGE_ISSUE = 'must be an object with a `source`';

export const loadedImageValue = z.strictObject({ source: loadedImage, ...looks }, IMAGE_ISSUE);

/** `{"$image": {source, width?, height?, alt?}}`: a picture in the line. Sizes are in pixels of 1/96 inch. */
export const imageKind = valueKind({
  key: '$image',
  requested: z.strictObject({ source: imageValue, ...looks }, IMAGE_ISSUE),
  loaded: loadedImageValue,
  image: 'source',
  render({ source, alt, ...size }, spot, context, path) {
    if (source === null) return { run: '' };
    const picture = context.resources.imageAt(source, `${path}.source`);
    return picture && shownPicture(picture, { ...size, alt: alt ?? undefined, path }, spot, context);
  },
});

export interface PictureLooks extends Dimensions {
  /** Alternative text. */
  alt: string | undefined;
  /** The path of the object with `width` and `height`, for errors. */
  path: string;
}

/** A picture in its own or the requested size. Throws TemplateError VALIDATION_ERROR if that is too large. */
export function shownPicture(
  picture: Picture,
  { alt, path, ...size }: PictureLooks,
  { story, text }: ValueSpot,
  { editor }: RenderContext,
): Replacement {
  const sizeIn = sizing(proportionsOf(picture.size), size, path);
  const room = roomAt(text, story, editor.template);
  return { run: plainPicture(picture, sizeIn(room), { story, editor, description: alt }) };
}
