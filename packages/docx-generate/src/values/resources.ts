import { TemplateError } from '@scriptorium/docx-template/error';
import type { ImagePlace } from '@scriptorium/docx-template/fields';
import type { FieldPicture, ImageCache } from '@scriptorium/docx-template/pictures';
import { bytesOfDataUri } from '@scriptorium/docx-template/pictures';
import { type Picture, readPicture } from '@scriptorium/images/picture';

/** Of all different barcodes of a request, each with those that the smallest one takes as long as: a second in all. */
const BARCODE_BYTES_MAX = 10_000;
const BARCODE_BYTES_MIN = 80;

/**
 * What the values of one request need before they can be written: read images, drawn barcodes, and libraries. A pass
 * over the document asks for everything; `load` prepares it; the next pass finds it. It outlives the passes.
 */
export class ValueResources {
  readonly #images: ImageCache;
  readonly #loaded = new Map<string, unknown>();
  readonly #waiting = new Map<string, () => Promise<unknown>>();
  #barcodeBytes = 0;

  constructor(images: ImageCache) {
    this.#images = images;
  }

  /** Whether a value of the last pass could not be written. */
  get isWaiting(): boolean {
    return this.#waiting.size > 0;
  }

  /** Prepares everything that was asked for. Rejects with TemplateError, which names the value that asked first. */
  async load(): Promise<void> {
    for (const [key, load] of this.#waiting) {
      this.#loaded.set(key, await load());
      this.#waiting.delete(key);
    }
  }

  /** The resource with this key. Undefined until it is loaded. */
  get<Resource>(key: string, load: () => Promise<Resource>): Resource | undefined {
    if (this.#loaded.has(key)) return this.#loaded.get(key) as Resource;
    this.#waiting.set(key, load);
    return undefined;
  }

  /** The image at a place in the images of the request. */
  imageAt(place: ImagePlace, path: string): FieldPicture | undefined {
    return this.get(`image at ${place.start}+${place.bytes}`, () => this.#images.read(place, path));
  }

  /** The image of a data URI, which must be one by `isDataUri`. */
  imageOf(uri: string, path: string): FieldPicture | undefined {
    return this.get(uri, () => this.#images.readBytes(bytesOfDataUri(uri), path));
  }

  /** A barcode that `draw` makes as an SVG. Throws TemplateError VALIDATION_ERROR, before it is drawn, if all are too many. */
  barcode(key: string, value: string, draw: () => Promise<Buffer>, path: string): Picture | undefined {
    if (!this.#loaded.has(key) && !this.#waiting.has(key))
      this.#barcodeBytes += BARCODE_BYTES_MIN + Buffer.byteLength(value);
    if (this.#barcodeBytes > BARCODE_BYTES_MAX) {
      const issue = `exceeds the limit of ${BARCODE_BYTES_MAX.toLocaleString('en-US')} bytes for all different barcodes of the request, each with ${BARCODE_BYTES_MIN} of its own`;
      throw new TemplateError('VALIDATION_ERROR', `The value at ${path} cannot be used: it ${issue}.`, {
        details: [{ field: path, issue }],
      });
    }
    return this.get(key, async () => readPicture(await draw()));
  }
}
