import type { Dimensions } from '@scriptorium/docx-template/fields';
import { isDataUri } from '@scriptorium/docx-template/pictures';
import type { Json } from '@scriptorium/expressions/expression';
import type { Picture } from '@scriptorium/images/picture';
import { imageKind, loadedImageValue } from './image.ts';
import { kindOf } from './kinds.ts';
import type { ValueResources } from './resources.ts';
import { isJsonObject, parseValue } from './value-kind.ts';

/** An image value where a picture of the template is replaced. */
export interface NamedPicture {
  /** Undefined if it is not loaded yet. */
  picture: Picture | undefined;
  /** Requested sides in pixels. */
  size: Dimensions;
  alt: string | undefined;
}

/** The picture of a value that is an image: of the kind, or a data URI. Null for one without a source, and undefined for other values. */
export function namedPicture(
  value: Json,
  path: string,
  resources: ValueResources,
): NamedPicture | null | undefined {
  if (typeof value === 'string' && isDataUri(value))
    return { picture: resources.imageOf(value, path), size: {}, alt: undefined };
  const found = isJsonObject(value) ? kindOf(value, path) : undefined;
  if (found?.kind !== imageKind || found === undefined) return undefined;
  const at = [path, ...found.within].join('.');
  const { source, alt, ...size } = parseValue(loadedImageValue, found.value, at);
  if (source === null) return null;
  return { picture: resources.imageAt(source, `${at}.source`), size, alt: alt ?? undefined };
}
