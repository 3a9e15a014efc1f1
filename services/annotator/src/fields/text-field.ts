import type { FillingOf } from '@scriptorium/shared/jobs/annotate';
import { replaceContent } from './content.ts';
import type { FieldType } from './field-type.ts';
import { runStyleOf } from './run-style.ts';
import { run, textContent } from './text.ts';

/** Text in place of what a control shows. */
export const textField: FieldType<FillingOf<'text'>> = {
  async prepare({ value, options }, { draft }) {
    const { promptStyles } = draft.template;
    return {
      fillControl(control) {
        const style = options.keepTextNodeStyles ? runStyleOf(control, promptStyles) : '';
        replaceContent(draft, control, textContent(value, style, control.story.dialect));
      },
      replacePlaceholder: ({ story, style }) => ({
        runs: run(value.split(/\r\n|[\r\n]/), options.keepTextNodeStyles ? style : '', story.dialect),
      }),
    };
  },
};
