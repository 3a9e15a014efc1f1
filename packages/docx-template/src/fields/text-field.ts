import { replaceContent } from './content.ts';
import { setState } from './control-state.ts';
import type { FieldType } from './field-type.ts';
import type { FieldValueOf } from './field-value.ts';
import { runStyleOf, withFont } from './run-style.ts';
import { linesOf, run, textContent } from './text.ts';

/** Text in place of what a control shows; a checkbox, a list or a date keeps the state that belongs to it. */
export const textField: FieldType<FieldValueOf<'text'>> = {
  async prepare({ value, options }, { editor, bound, path }) {
    const { promptStyles } = editor.template;
    return {
      fillControl(control) {
        const { dialect } = control.story;
        const { text, stored, font } = setState(editor, control, value, `${path}.value`);
        const kept = options.keepTextNodeStyles ? runStyleOf(control, promptStyles) : '';
        const style = font === undefined ? kept : withFont(kept, font, dialect);
        // A plain text control has one paragraph (ECMA-376-1 §17.5.2.44).
        const isOneParagraph = control.kind === 'plain text';
        replaceContent(editor, control, textContent(text, style, dialect, isOneParagraph));
        bound.write(control, stored);
      },
      replacePlaceholder: ({ story, style }) => ({
        runs: run(linesOf(value), options.keepTextNodeStyles ? style : '', story.dialect),
      }),
    };
  },
};
