import { childOf } from '@scriptorium/ooxml/xml';
import type { PackageEditor } from '../package-editor.ts';
import type { Control } from '../template/controls.ts';
import { removeElement } from './attributes.ts';

/** Removes the data binding of a control, because a reader would replace the filled content with the bound data. */
export function unbind(
  editor: PackageEditor,
  { story, properties }: Pick<Control, 'story' | 'properties'>,
): void {
  for (const name of ['w:dataBinding', 'w15:dataBinding'])
    removeElement(editor, story, properties && childOf(properties, name));
}
