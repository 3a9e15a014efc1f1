import type { PackageEditor } from './package-editor.ts';
import type { Control } from './template/controls.ts';

/** Removes the controls and keeps their content. Must be the last step. `filled` are the controls with new content. */
export function flatten(editor: PackageEditor, filled: ReadonlySet<Control>): void {
  for (const control of editor.template.controls) unwrap(editor, control, filled.has(control));
}

function unwrap(editor: PackageEditor, { story, node, content, level }: Control, isFilled: boolean): void {
  editor.edit(story, { start: node.start, end: startOf(content), text: '' });
  editor.edit(story, { start: endOf(content), end: node.end, text: '' });
  const isEmpty = content.openEnd === content.closeStart || content.openEnd === content.end;
  if (!isEmpty || isFilled) return;
  // A cell must contain a paragraph.
  const text = level === 'block' ? story.dialect.element('p') : '';
  editor.edit(story, { start: startOf(content), end: endOf(content), text });
}

/** Start of the content. For `<w:sdtContent/>`, which new content replaces, the start of the element itself. */
function startOf({ start, openEnd, end }: Control['content']): number {
  return openEnd === end ? start : openEnd;
}

function endOf({ closeStart, openEnd, end }: Control['content']): number {
  return openEnd === end ? end : closeStart;
}
