import { ancestorsOf, childOf } from '@scriptorium/ooxml/xml';
import type { PreparedField } from '../fields/field-type.ts';
import { invalidField } from '../fields/invalid.ts';
import { rangesIn, withDescendants } from '../fields/ranges.ts';
import { styleOfRun } from '../fields/run-style.ts';
import type { PackageEditor } from '../package-editor.ts';
import type { WordField } from '../template/word-fields.ts';
import { releaseControls } from './fill.ts';

/** A field of Word with its value. */
export interface FieldAssignment {
  wordField: WordField;
  field: PreparedField;
  /** Path of the field in the caller's request: `fields[3]`. */
  path: string;
}

/**
 * Replaces merge fields, as a mail merge does, and the results of form fields. Throws TemplateError VALIDATION_ERROR if a
 * value needs a separate paragraph.
 */
export function fillWordFields(editor: PackageEditor, assignments: readonly FieldAssignment[]): void {
  for (const { wordField, field, path } of assignments) {
    const { story, run, replaced, at } = wordField;
    const row = [...ancestorsOf(run)].find(({ name }) => name === 'w:tr' || name === 'w:txbxContent');
    const style = styleOfRun(childOf(run, 'w:rPr'), story, editor.template.promptStyles);
    const own = { story, text: run, run, row: row?.name === 'w:tr' ? row : undefined, style };
    const replacement = field.replacePlaceholder(own);
    releaseControls(editor, story, run);
    if (replacement === undefined) continue;
    if ('blocks' in replacement)
      throw invalidField(`${path}.id`, 'matches a field in a paragraph, which cannot contain a table');
    const { starts, ends, references } = rangesIn(withDescendants(replaced), story.xml);
    editor.edit(story, {
      start: replaced[0]?.start ?? at,
      end: replaced.at(-1)?.end ?? at,
      text: starts + replacement.runs + ends + references,
    });
  }
}
