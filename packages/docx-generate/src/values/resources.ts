import { TemplateError } from '@scriptorium/docx-template/error';
import type { ImagePlace } from '@scriptorium/docx-template/fields';
import type { FieldPicture, ImageCache } from '@scriptorium/docx-template/pictures';
import { bytesOfDataUri } from '@scriptorium/docx-template/pictures';
import type { Picture } from '@scriptorium/images/picture';

/** For all different barcodes of a request, by what each usually takes. */
const BARCODES_MS_MAX = 1_000;

/**
 * What the values of one request need before they can be written: read images, drawn barcodes, and libraries. A pass
 * over the document asks for everything; `load` prepares it; the next pass finds it. It outlives the passes.
 */
export class ValueResources {
  readonly #images: ImageCache;
  readonly #loaded = new Map<string, unknown>();
  readonly #waiting = new Map<string, () => Promise<unknown>>();
  #barcodesMs = 0;

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

  /**
   * A barcode that `draw` makes in about so many milliseconds. Throws TemplateError VALIDATION_ERROR, before it is
   * drawn, if all take too long.
   */
  barcode(key: string, ms: number, draw: () => Promise<Picture>, path: string): Picture | undefined {
    if (!this.#loaded.has(key) && !this.#waiting.has(key)) this.#barcodesMs += ms;
    if (this.#barcodesMs > BARCODES_MS_MAX) {
      const issue = `exceeds the limit of ${BARCODES_MS_MAX.toLocaleString('en-US')} ms to draw all different barcodes of the request`;
      throw new TemplateError('VALIDATION_ERROR', `The value at ${path} cannot be used: it ${issue}.`, {
        details: [{ field: path, issue }],
      });
    }
    return this.get(key, draw);
  }
}
