import { childOf } from '@scriptorium/ooxml/xml';
import type { PackageEditor } from '../package-editor.ts';
import type { Control } from '../template/controls.ts';
import { removeElement } from './attributes.ts';

/** Takes a control's data binding away: a reader would put the bound data in place of what was filled in. */
export function unbind(
  editor: PackageEditor,
  { story, properties }: Pick<Control, 'story' | 'properties'>,
): void {
  for (const name of ['w:dataBinding', 'w15:dataBinding'])
    removeElement(editor, story, properties && childOf(properties, name));
}
