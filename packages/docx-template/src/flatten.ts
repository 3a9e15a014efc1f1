import type { Draft } from './draft.ts';
import type { Control } from './template/controls.ts';

/** Takes the controls away and leaves what they show. To be done last: `filled` are those that have new content. */
export function flatten(draft: Draft, filled: ReadonlySet<Control>): void {
  for (const control of draft.template.controls) unwrap(draft, control, filled.has(control));
}

function unwrap(draft: Draft, { story, node, content, level }: Control, isFilled: boolean): void {
  draft.edit(story, { start: node.start, end: startOf(content), text: '' });
  draft.edit(story, { start: endOf(content), end: node.end, text: '' });
  const isEmpty = content.openEnd === content.closeStart || content.openEnd === content.end;
  if (!isEmpty || isFilled) return;
  // A cell must not be left without a paragraph.
  const text = level === 'block' ? story.dialect.element('p') : '';
  draft.edit(story, { start: startOf(content), end: endOf(content), text });
}

/** Where what is inside begins; for `<w:sdtContent/>`, which new content replaces, it is the element itself. */
function startOf({ start, openEnd, end }: Control['content']): number {
  return openEnd === end ? start : openEnd;
}

function endOf({ closeStart, openEnd, end }: Control['content']): number {
  return openEnd === end ? end : closeStart;
}
