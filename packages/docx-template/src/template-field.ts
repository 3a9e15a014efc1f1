import { z } from 'zod';
import { controlFacts } from './fields/control-facts.ts';
import { FIELD_TYPES } from './fields/field-types.ts';

/** One field of a template, as `POST /v1/templates/inspect` returns it. */
export const templateField = z
  .strictObject({
    id: z
      .string()
      .describe(
        'The id that fills this field, as `fields[].id`: its first name that no other control has, else `wordId`',
      ),
    wordId: z.string().optional().describe('The number of the content control, which fills it, too'),
    names: z.array(z.string()).describe('Its names. Each fills every field with this name'),
    count: z.number().int().positive().describe('Number of places that `id` fills'),
    within: z
      .string()
      .optional()
      .describe('The id of the field that contains this one. Filling that replaces this one'),
    group: z.string().optional().describe('The group of fields to which it belongs, as `fields[].group`'),
    type: z.enum(FIELD_TYPES.map(({ type }) => type)).describe('The suitable field type'),
    label: z.string().optional().describe('Its displayed name'),
    location: z
      .union([
        z.strictObject({
          part: z.string().describe('Part of the package, such as `word/document.xml`'),
          place: z.enum(['body', 'header', 'footer', 'footnote', 'endnote', 'text box']),
          level: z.enum(['block', 'inline', 'row', 'cell', 'placeholder', 'field']),
        }),
        z.strictObject({
          page: z.number().int().positive().optional().describe('For a PDF: the page, from 1'),
          rectangle: z
            .strictObject({ x: z.number(), y: z.number(), width: z.number(), height: z.number() })
            .optional()
            .describe('In points from the lower left corner of the page as displayed'),
        }),
      ])
      .describe('Its position in the document. A field of a PDF that no page shows has none'),
    current: z.string().describe('Its current text, at most 10,000 characters; empty if it shows a prompt'),
    options: controlFacts,
  })
  .meta({ id: 'TemplateField' });
export type TemplateField = z.infer<typeof templateField>;
