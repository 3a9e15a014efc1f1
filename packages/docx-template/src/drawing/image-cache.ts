import { createHash } from 'node:crypto';
import { ImageRefusal, type Picture, readPicture } from '@scriptorium/images/picture';
import type { ImagePlace } from '../fields/image-value.ts';
import { TemplateError } from '../template-error.ts';

/** Maximum for all different images of a request. Bounds the time to read them to some seconds. */
const PIXELS_MAX = 500_000_000;
const DRAWINGS_MAX = 100;
/** For all drawings together, as they are rendered. */
const DRAWN_PIXELS_MAX = 200_000_000;

export interface FieldPicture extends Picture {
  /** SHA-256 of the caller's image, in hexadecimal. */
  digest: string;
}

/** The images of one request. An image in many fields is read once. */
export class ImageCache {
  readonly #images: Buffer;
  /** By place, because computing the digest of a large image for each of many fields would be slow. */
  readonly #places = new Map<string, FieldPicture>();
  readonly #pictures = new Map<string, Picture>();
  #pixels = 0;
  #drawings = 0;
  #drawnPixels = 0;

  constructor(images: Buffer) {
    this.#images = images;
  }

  /** Rejects with TemplateError IMAGE_INVALID, which names the field. `path` is the path of its value. */
  async read({ start, bytes }: ImagePlace, path: string): Promise<FieldPicture> {
    const place = `${start}+${bytes}`;
    const known =
      this.#places.get(place) ?? (await this.readBytes(this.#images.subarray(start, start + bytes), path));
    this.#places.set(place, known);
    return known;
  }

  /** The same for an image that is not among the images of the request. */
  async readBytes(bytes: Buffer, path: string): Promise<FieldPicture> {
    return await named(path, () => this.#look(bytes));
  }

  async #look(bytes: Buffer): Promise<FieldPicture> {
    const digest = createHash('sha256').update(bytes).digest('hex');
    const picture = this.#pictures.get(digest) ?? (await readPicture(bytes));
    if (!this.#pictures.has(digest)) this.#count(picture);
    this.#pictures.set(digest, picture);
    return { ...picture, digest };
  }

  #count(picture: Picture): void {
    const { size, svg, file } = picture;
    if (svg === undefined) this.#pixels += size.width * size.height;
    else {
      this.#drawings++;
      const { width, height } = pngSize(file.bytes);
      this.#drawnPixels += width * height;
    }
    if (this.#drawnPixels > DRAWN_PIXELS_MAX)
      throw new ImageRefusal(
        `exceeds the limit of ${DRAWN_PIXELS_MAX.toLocaleString('en-US')} pixels for all drawings of the request`,
      );
    if (this.#pixels > PIXELS_MAX)
      throw new ImageRefusal(
        `exceeds the limit of ${PIXELS_MAX.toLocaleString('en-US')} pixels for all images of the request`,
      );
    if (this.#drawings > DRAWINGS_MAX)
      throw new ImageRefusal(`exceeds the limit of ${DRAWINGS_MAX} different SVG images in a request`);
  }
}

/** PNG (third edition), §11.2.1. */
const pngSize = (png: Buffer) => ({ width: png.readUInt32BE(16), height: png.readUInt32BE(20) });

/** Names the path of the value in a refusal. */
async function named<Result>(path: string, read: () => Promise<Result>): Promise<Result> {
  try {
    return await read();
  } catch (error) {
    if (error instanceof ImageRefusal) throw imageInvalid(path, error.message);
    throw error;
  }
}

function imageInvalid(field: string, issue: string): TemplateError {
  return new TemplateError('IMAGE_INVALID', `The image at ${field} cannot be used: it ${issue}.`, {
    details: [{ field, issue }],
  });
}
