import { ancestorsOf, childOf, type XmlNode } from '@scriptorium/ooxml/xml';
import type { PackageEditor } from '../package-editor.ts';
import type { Control } from '../template/controls.ts';
import type { Dialect } from '../template/dialect.ts';
import type { Story } from '../template/story.ts';
import { removeElement } from './attributes.ts';
import { type Content, replaceContent } from './content.ts';
import type { PreparedField } from './field-type.ts';
import { unbind } from './unbind.ts';

/** Properties of controls that must not contain a drawing (ECMA-376-1 §17.5.2). Other controls may contain anything. */
const DRAWINGLESS = ['w:text', 'w:dropDownList', 'w:comboBox', 'w:date', 'w14:checkbox'];

/** A drawing as the content of a control. `drawing` is run content. */
export function drawingContent(drawing: string, dialect: Dialect): Content {
  const run = dialect.element('r', {}, drawing);
  return {
    inline: (isInRun) => (isInRun ? drawing : run),
    block: (paragraph) => withoutExactLines(paragraph(run)),
  };
}

/** Empties controls and placeholders: the value of an image or a signature that is not there. */
export function emptied(editor: PackageEditor): PreparedField {
  return {
    fillControl(control) {
      // Without a picture, it cannot stay a picture control.
      openToDrawings(editor, control, ['w:picture']);
      replaceContent(editor, control, { inline: () => '', block: (paragraph) => paragraph('') });
    },
    replacePlaceholder: () => ({ runs: '' }),
  };
}

/** A line with exact height would show only a strip of the drawing. */
function withoutExactLines(paragraph: string): string {
  const content = paragraph.indexOf('<wp:inline');
  return (
    paragraph
      .slice(0, content)
      .replace(/(<(?:[\w.-]+:)?spacing\s[^>]*?lineRule\s*=\s*["'])exact(["'])/, '$1atLeast$2') +
    paragraph.slice(content)
  );
}

/** Allows a drawing in a control, and unbinds it from data. `more` are further control types to remove. */
export function openToDrawings(editor: PackageEditor, control: Control, more: readonly string[]): void {
  // A repeating section contains items, not a drawing.
  release(editor, control, [...DRAWINGLESS, 'w15:repeatingSection', ...more]);
}

/** Allows a drawing in the controls around it. */
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
