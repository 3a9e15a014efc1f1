import { ImageCache } from '../drawing/image-cache.ts';
import type { PackageEditor } from '../package-editor.ts';
import type { Control } from '../template/controls.ts';
import { BoundData } from './bound-data.ts';
import { prepareField } from './field-types.ts';

const NO_IMAGES = new ImageCache(Buffer.alloc(0));

/** Fills controls with texts, as fields of the type `text` do. */
export class ControlTexts {
  readonly #editor: PackageEditor;
  readonly #bound: BoundData;

  constructor(editor: PackageEditor) {
    this.#editor = editor;
    this.#bound = new BoundData(editor);
  }

  /** Throws TemplateError, which names the path. */
  fill(control: Control, text: string, path: string): void {
    const options = { keepTextNodeStyles: true };
    const context = { editor: this.#editor, bound: this.#bound, images: NO_IMAGES, path };
    const field = prepareField({ type: 'text', value: text, options }, context);
    if (!(field instanceof Promise)) field.fillControl(control);
  }
}
