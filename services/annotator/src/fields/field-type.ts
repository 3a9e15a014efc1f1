import type { Filling } from '@scriptorium/shared/jobs/annotate';
import type { Draft } from '../draft.ts';
import type { Control } from '../template/controls.ts';
import type { Story } from '../template/story.ts';
import type { BoundData } from './bound-data.ts';

/** What a field is filled with and into. */
export interface FieldContext {
  draft: Draft;
  bound: BoundData;
  /** The bytes that image values refer to. */
  images: Buffer;
  /** Of the field in the caller's request: `fields[3]`. */
  path: string;
}

/** Where a placeholder stands in running text. */
export interface PlaceholderSpot {
  story: Story;
  /** The run properties of the text around, as an element or nothing. */
  style: string;
  /** What is there for a picture: of the cell, column or page. */
  widthEmu: number;
}

/** A value that has been read, and can be put into any number of places. */
export interface PreparedField {
  fillControl(control: Control): void;
  /** What stands in place of a placeholder: runs, or blocks in place of its whole paragraph. */
  replacePlaceholder(spot: PlaceholderSpot): { runs: string } | { blocks: string };
}

/** One type of field. To add one: a file, and a line in `field-types.ts`. */
export interface FieldType<F extends Filling> {
  /** Rejects with AppError that names the field: VALIDATION_ERROR or IMAGE_INVALID. */
  prepare(field: F, context: FieldContext): Promise<PreparedField>;
}
