import { createHash } from 'node:crypto';
import { type Picture, readPicture } from '@scriptorium/images/formats/picture';
import { ImageRefusal } from '@scriptorium/images/formats/refusal';
import type { FieldContext } from '../fields/field-type.ts';
import type { FieldValueOf } from '../fields/field-value.ts';
import type { PackageEditor } from '../package-editor.ts';
import { TemplateError } from '../template-error.ts';

/** Of all different images of a request: what reading them costs is bounded by these, to some seconds. */
const PIXELS_MAX = 500_000_000;
const DRAWINGS_MAX = 100;

export interface FieldPicture extends Picture {
  /** SHA-256 of the caller's image, in hexadecimal. */
  digest: string;
}

type Place = FieldValueOf<'image'>['value'];

/** The images of one request. Many fields may show one: it is read once. */
class ImageCache {
  /** By place: the digest of a large image, made for each of many fields, would take longer than all else. */
  readonly #places = new Map<string, FieldPicture>();
  readonly #pictures = new Map<string, Picture>();
  #pixels = 0;
  #drawings = 0;

  async read(images: Buffer, { start, bytes }: Place): Promise<FieldPicture> {
    const place = `${start}+${bytes}`;
    const known = this.#places.get(place) ?? (await this.#look(images.subarray(start, start + bytes)));
    this.#places.set(place, known);
    return known;
  }

  async #look(bytes: Buffer): Promise<FieldPicture> {
    const digest = createHash('sha256').update(bytes).digest('hex');
    const picture = this.#pictures.get(digest) ?? (await readPicture(bytes));
    if (!this.#pictures.has(digest)) this.#count(picture);
    this.#pictures.set(digest, picture);
    return { ...picture, digest };
  }

  #count({ size, svg }: Picture): void {
    if (svg === undefined) this.#pixels += size.width * size.height;
    else this.#drawings++;
    if (this.#pixels > PIXELS_MAX)
      throw new ImageRefusal(
        `makes more than ${PIXELS_MAX.toLocaleString('en-US')} pixels of all images of the request together`,
      );
    if (this.#drawings > DRAWINGS_MAX)
      throw new ImageRefusal(
        `is one more than the ${DRAWINGS_MAX} different SVG images that a request may have`,
      );
  }
}

const caches = new WeakMap<PackageEditor, ImageCache>();

/** The image of a field. Rejects with TemplateError IMAGE_INVALID, which names the field. */
export async function pictureOf(
  { value }: Pick<FieldValueOf<'image'>, 'value'>,
  { editor, images, path }: FieldContext,
): Promise<FieldPicture> {
  const cache = caches.get(editor) ?? new ImageCache();
  caches.set(editor, cache);
  try {
    return await cache.read(images, value);
  } catch (error) {
    if (error instanceof ImageRefusal) throw imageInvalid(`${path}.value`, error.message);
    throw error;
  }
}

function imageInvalid(field: string, issue: string): TemplateError {
  return new TemplateError('IMAGE_INVALID', `The image at ${field} cannot be used: it ${issue}.`, {
    details: [{ field, issue }],
  });
}
