import { childOf, type XmlNode } from '@scriptorium/shared/ooxml/xml-tree';
import type { Draft } from '../draft.ts';
import type { Control } from '../template/controls.ts';
import type { Dialect } from '../template/dialect.ts';
import { removeElement } from './attributes.ts';
import type { Content } from './content.ts';
import { unbind } from './unbind.ts';

/** What makes a control one that must not hold a drawing (ECMA-376-1 §17.5.2); without it, anything may be in it. */
const DRAWINGLESS = [
  'w:text',
  'w:dropDownList',
  'w:comboBox',
  'w:date',
  'w14:checkbox',
  'w15:repeatingSection',
];

/** A drawing as what a control shows; `drawing` is what a run holds. */
export function drawingContent(drawing: string, dialect: Dialect): Content {
  const run = dialect.element('r', {}, drawing);
  return {
    inline: (isInRun) => (isInRun ? drawing : run),
    block: (paragraph) => withoutExactLines(paragraph(run)),
  };
}

/** A line of an exact height would show a strip of the drawing. */
function withoutExactLines(paragraph: string): string {
  const content = paragraph.indexOf('<wp:inline');
  return (
    paragraph
      .slice(0, content)
      .replace(/(<(?:[\w.-]+:)?spacing\s[^>]*?lineRule\s*=\s*["'])exact(["'])/, '$1atLeast$2') +
    paragraph.slice(content)
  );
}

/** Makes a control one that may hold a drawing, and no data takes the place of. */
export function openToDrawings(draft: Draft, control: Control, more: readonly string[] = []): void {
  const { story, properties } = control;
  const child = (name: string): XmlNode | undefined => properties && childOf(properties, name);
  for (const name of [...DRAWINGLESS, ...more]) removeElement(draft, story, child(name));
  unbind(draft, control);
}
