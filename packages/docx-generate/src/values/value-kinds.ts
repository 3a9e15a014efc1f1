import type { PackageEditor } from '@scriptorium/docx-template/editor';
import { valueText } from '@scriptorium/docx-template/fields';
import { isDataUri } from '@scriptorium/docx-template/pictures';
import type { Json } from '@scriptorium/expressions/expression';
import { renderHtml } from './html.ts';
import { shownPicture } from './image.ts';
import { hasKind, kindOf } from './kinds.ts';
import { htmlOfList } from './listed.ts';
import type { ValueResources } from './resources.ts';
import {
  type As,
  invalidValue,
  isJsonObject,
  parseValue,
  type Replacement,
  type ValueSpot,
} from './value-kind.ts';

const WEB_ADDRESS = /^https?:\/\//i;

/**
 * Writes values that are not texts into one document. If `resources.isWaiting` after a pass, the caller awaits
 * `resources.load()` and makes the pass again with a new editor.
 */
export class ValueKinds {
  readonly #editor: PackageEditor;
  readonly #resources: ValueResources;

  constructor(editor: PackageEditor, resources: ValueResources) {
    this.#editor = editor;
    this.#resources = resources;
  }

  /** Whether `render` writes this value. `as` is what its mark asks for. */
  isKind(value: Json | undefined, as?: As): boolean {
    const isOfRows = (as === 'list' || as === 'table') && value !== undefined;
    return hasKind(value) || isOfRows || (as !== undefined && typeof value === 'string');
  }

  /**
   * Writes a value for which `isKind` is true. Returns undefined if a resource is not loaded yet. Throws TemplateError
   * VALIDATION_ERROR or IMAGE_INVALID, which names the value.
   */
  render(value: Json, spot: ValueSpot, as?: As): Replacement | undefined {
    const { path } = spot;
    const context = { editor: this.#editor, resources: this.#resources };
    if ((as === 'list' || as === 'table') && !hasKind(value))
      return renderHtml(htmlOfList(value, as, path), spot, context, path);
    if (typeof value === 'string' && as === 'image') return this.#renderImage(value, spot);
    if (typeof value === 'string' && as === 'markdown') return this.render({ $markdown: value }, spot);
    if (typeof value === 'string' && as === 'markup')
      return renderHtml(parseValue(valueText, value, path), spot, context, path);
    const found = isJsonObject(value) ? kindOf(value, path) : undefined;
    if (found === undefined) throw invalidValue(path, 'is not a value of a known kind');
    const at = [path, ...found.within].join('.');
    const { kind } = found;
    return kind.render(parseValue(kind.loaded ?? kind.requested, found.value, at), spot, context, at);
  }

  /** A text where the mark asks for an image. */
  #renderImage(text: string, spot: ValueSpot): Replacement | undefined {
    const { path } = spot;
    if (text === '') return { run: '' };
    if (WEB_ADDRESS.test(text))
      throw invalidValue(path, 'is an address: write `{"$image": {"source": "…"}}` to load an image from it');
    if (!isDataUri(text)) throw invalidValue(path, 'is not an image: it must be a data URI or have `$image`');
    const picture = this.#resources.imageOf(text, path);
    const context = { editor: this.#editor, resources: this.#resources };
    return picture && shownPicture(picture, { alt: undefined, path }, spot, context);
  }
}
