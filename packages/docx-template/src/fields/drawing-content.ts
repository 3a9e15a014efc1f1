import { ancestorsOf, childOf, type XmlNode } from '@scriptorium/ooxml/xml';
import type { PackageEditor } from '../package-editor.ts';
import type { Control } from '../template/controls.ts';
import type { Dialect } from '../template/dialect.ts';
import type { Story } from '../template/story.ts';
import { removeElement } from './attributes.ts';
import type { Content } from './content.ts';
import { unbind } from './unbind.ts';

/** What makes a control one that must not hold a drawing (ECMA-376-1 §17.5.2); without it, anything may be in it. */
const DRAWINGLESS = ['w:text', 'w:dropDownList', 'w:comboBox', 'w:date', 'w14:checkbox'];

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

/** Makes a control one that may show just a drawing, and no data takes the place of; `more` are types that suit it not. */
export function openToDrawings(editor: PackageEditor, control: Control, more: readonly string[]): void {
  // What repeats is items, and a drawing is none.
  release(editor, control, [...DRAWINGLESS, 'w15:repeatingSection', ...more]);
}

/** Makes the controls that a drawing comes to stand in ones that may hold it. */
export function openControlsAround(
  editor: PackageEditor,
  story: Story,
  run: XmlNode,
  more: readonly string[],
): void {
  for (const outer of ancestorsOf(run))
    if (outer.name === 'w:sdt')
      release(editor, { story, properties: childOf(outer, 'w:sdtPr') }, [...DRAWINGLESS, ...more]);
}

function release(
  editor: PackageEditor,
  control: Pick<Control, 'story' | 'properties'>,
  types: readonly string[],
): void {
  const { story, properties } = control;
  for (const name of types) removeElement(editor, story, properties && childOf(properties, name));
  unbind(editor, control);
}
