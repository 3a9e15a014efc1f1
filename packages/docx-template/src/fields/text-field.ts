import { z } from 'zod';
import type { PackageEditor } from '../package-editor.ts';
import type { Control } from '../template/controls.ts';
import { valueText } from '../xml-text.ts';
import { type Content, replaceContent } from './content.ts';
import { setState } from './control-state.ts';
import { switchedOn, wrongKind } from './field-options.ts';
import { fieldType } from './field-type.ts';
import { htmlAsText, htmlContent, itemsContent, linkContent, repeatsParagraphs } from './rich-content.ts';
import { runStyleOf, withFont } from './run-style.ts';
import { linesOf, run, textContent } from './text.ts';
import { cellText } from './value-text.ts';

/** Replaces the content of a control with text. Sets the state of a checkbox, a list or a date accordingly. */
export const textField = fieldType({
  type: 'text',
  title: 'Text',
  isDefault: true,
  value: z
    .union(
      [valueText, z.number(), z.boolean(), z.null()],
      wrongKind('must be a string, a number, a boolean or null'),
    )
    .transform(cellText)
    .describe(
      'The text; numbers and booleans are converted to text, with at most 15 significant digits. ' +
        'An empty text and null empty the field. Line feeds become line breaks',
    ),
  options: { keepTextNodeStyles: switchedOn('Keep the text styles of the template') },
  isMirrored: true,
  valueSchema({ control, choices = [], isMultiline, maxLength }, all) {
    if (control === 'checkbox') return { enum: [...new Set(['true', 'false', true, false, ...choices])] };
    const isList = control === 'drop-down' || control === 'radio buttons' || control === 'list box';
    if (isList && !isMultiline) return { enum: [...new Set(['', ...choices])] };
    return maxLength === undefined ? all : { ...all, maxLength };
  },
  prepare({ value, options }, { editor, bound, path }) {
    const { promptStyles } = editor.template;
    return {
      fillControl(control) {
        const { dialect } = control.story;
        const { text, stored, font } = setState(editor, control, value, `${path}.value`);
        const kept = options.keepTextNodeStyles ? runStyleOf(control, promptStyles) : '';
        const style = font === undefined ? kept : withFont(kept, font, dialect);
        // A plain text control contains one paragraph (ECMA-376-1 §17.5.2.44).
        const isOneParagraph = control.kind === 'plain text';
        const rich = richContent(editor, control, text, style, `${path}.value`);
        replaceContent(editor, control, rich ?? textContent(text, style, dialect, isOneParagraph));
        if (isHtml(control)) bound.write(control, htmlAsText(text, `${path}.value`));
        else bound.write(control, stored.replaceAll('\v', '\n'));
      },
      replacePlaceholder: ({ story, style }) => ({
        runs: run(linesOf(value), options.keepTextNodeStyles ? style : '', story.dialect),
      }),
    };
  },
});

function isHtml({ kind, declared }: Control): boolean {
  return kind === 'rich text' && declared === 'html';
}

/** The content of a control that is not a plain text: HTML, a link, or the items of a repeating section. */
function richContent(
  editor: PackageEditor,
  control: Control,
  text: string,
  style: string,
  path: string,
): Content | undefined {
  if (isHtml(control)) return htmlContent(editor, control, text, style, path);
  if (control.declared === 'link' && control.kind === 'rich text')
    return linkContent(editor, control, text, style);
  if (!repeatsParagraphs(control)) return undefined;
  return itemsContent(
    control,
    linesOf(text).map((line) => [line]),
    style,
    editor.isFlattened,
  );
}
