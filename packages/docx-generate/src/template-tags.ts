import { z } from 'zod';
import { SYNTAXES } from './generate/instruction.ts';

/** One mark of a template. The marks inside a loop or a condition are its `tags`. */
export interface Tag {
  kind: 'value' | 'loop' | 'section' | 'inverted' | 'condition' | 'signature';
  written: string;
  syntax: (typeof SYNTAXES)[number];
  place: string;
  tags?: Tag[] | undefined;
}

const count = z.number().int().nonnegative();
const named = z.strictObject({ count, names: z.array(z.string()) });

const tag: z.ZodType<Tag> = z
  .lazy(() =>
    z.strictObject({
      kind: z
        .enum(['value', 'loop', 'section', 'inverted', 'condition', 'signature'])
        .describe('`signature`: the place of a field for a signer'),
      written: z.string().describe('The mark as the template writes it'),
      syntax: z.enum(SYNTAXES),
      place: z.string().describe('Its part and place, such as `word/document.xml:table[2]/row[3]`'),
      tags: z.array(tag).optional().describe('The marks inside a loop or a condition'),
    }),
  )
  .meta({ id: 'TemplateTag' });

/** What `POST /v1/generate` reads in a template. */
export const templateTags = z.strictObject({
  syntaxes: z.array(z.enum(SYNTAXES)).describe('The template languages in use'),
  tags: z.array(tag).describe('The marks as a tree, in document order'),
  schema: z
    .record(z.string(), z.unknown())
    .describe('JSON Schema (2020-12) of the `data` that fills this template'),
  example: z.unknown().optional().describe('Data that fills every mark. Absent if the marks have mistakes'),
  issues: z
    .array(z.strictObject({ field: z.string(), issue: z.string() }))
    .optional()
    .describe('The mistakes in its marks, for which `POST /v1/generate` rejects it'),
  data: z
    .strictObject({
      unmatched: named.describe('The values that the template needs and `data` lacks'),
      unused: named.describe('The properties of `data` that no mark reads'),
    })
    .optional()
    .describe('With `data`: how it fits. Each count is complete, and `names` has the first paths'),
});
export type TemplateTags = z.infer<typeof templateTags>;
