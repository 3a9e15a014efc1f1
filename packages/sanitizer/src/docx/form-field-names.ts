import type { Inspector, Part } from '@scriptorium/ooxml/package';
import { type OpenTag, prefixAt, type XmlVisitor } from '@scriptorium/ooxml/xml';

/** The form field that a content control becomes, found by the tooltip that LibreOffice gives it. */
export interface FormFieldName {
  mark: string;
  name: string;
  tooltip: string;
}

/** LibreOffice names such fields by numbers, too. */
const NO_NAME = 'field';

/**
 * Gives each content control (ECMA-376-1 §17.5.2) a title that finds its form field in a PDF. LibreOffice writes the title as the
 * tooltip, and no name. `fields` has what the PDF should have, by the tag and the title of the control.
 */
export function formFieldNames(prefix: string): Inspector & { readonly fields: FormFieldName[] } {
  const fields: FormFieldName[] = [];
  return {
    fields,
    visit: (part) =>
      visitControls(part, (tag = '', title = '') => {
        const mark = `${prefix}${fields.length}`;
        // A dot would make a tree of fields (ISO 32000-2 §12.7.4.2).
        const name = (tag.trim() || title.trim() || NO_NAME).replaceAll('.', '_');
        fields.push({ mark, name, tooltip: title || tag });
        return mark;
      }),
  };
}

function visitControls(
  { xml = '', edits }: Part,
  markOf: (tag: string | undefined, title: string | undefined) => string,
): XmlVisitor {
  let control: { open: OpenTag; tag?: string | undefined; title?: OpenTag } | undefined;
  const inside = (read: (of: NonNullable<typeof control>, tag: OpenTag) => void) => ({
    open(tag: OpenTag) {
      if (control?.open.depth === tag.depth - 1) read(control, tag);
    },
  });
  return {
    'w:sdtPr': {
      open(tag) {
        control = tag.isEmpty ? undefined : { open: tag };
      },
      close() {
        if (control === undefined) return;
        const { open, tag, title } = control;
        const mark = markOf(tag, title?.attribute('w:val'));
        const value = title?.attributes.find(({ name }) => name === 'w:val');
        const prefix = prefixAt(xml, open);
        const written = `<${prefix}alias ${prefix}val="${mark}"/>`;
        if (title === undefined) edits.push({ start: open.end, end: open.end, text: written });
        else if (value !== undefined)
          edits.push({
            start: title.start + value.start,
            end: title.start + value.end,
            text: `${prefix}val="${mark}"`,
          });
        control = undefined;
      },
    },
    'w:alias': inside((of, tag) => {
      of.title ??= tag;
    }),
    'w:tag': inside((of, tag) => {
      of.tag ??= tag.attribute('w:val');
    }),
  };
}
