import type { PackageEditor } from '../package-editor.ts';
import type { Story } from '../template/story.ts';

/** Where something is drawn. */
export interface DrawingPlace {
  story: Story;
  editor: PackageEditor;
  /** Alternative text. */
  description: string | undefined;
}
