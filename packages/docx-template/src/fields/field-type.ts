import type { XmlNode } from '@scriptorium/ooxml/xml-tree';
import type { ImageCache } from '../drawing/image-cache.ts';
import type { PackageEditor } from '../package-editor.ts';
import type { Control } from '../template/controls.ts';
import type { Story } from '../template/story.ts';
import type { BoundData } from './bound-data.ts';
import type { FieldValue } from './field-value.ts';

/** What a field is filled with and into. */
export interface FieldContext {
  editor: PackageEditor;
  bound: BoundData;
  images: ImageCache;
  /** Of the field in the caller's request: `fields[3]`. */
  path: string;
}

/** Where a placeholder stands in running text. */
export interface PlaceholderSpot {
  story: Story;
  /** The text that it begins in, and the run around. */
  text: XmlNode;
  run: XmlNode;
  /** The table row around, if there is one. */
  row: XmlNode | undefined;
  /** The run properties of the text around, as an element or nothing. */
  style: string;
}

/**
 * What stands in place of a placeholder: runs, or blocks instead of its whole paragraph; undefined where the field has
 * itself replaced the row that it stands in.
 */
export type Replacement = { runs: string } | { blocks: string } | undefined;

/** A value that has been read, and can be put into any number of places. */
export interface PreparedField {
  fillControl(control: Control): void;
  replacePlaceholder(spot: PlaceholderSpot): Replacement;
}

/** One type of field. To add one: a file, and a line in `field-types.ts`. */
export interface FieldType<F extends FieldValue> {
  /** Rejects with TemplateError that names the field: VALIDATION_ERROR or IMAGE_INVALID. */
  prepare(field: F, context: FieldContext): Promise<PreparedField>;
}
